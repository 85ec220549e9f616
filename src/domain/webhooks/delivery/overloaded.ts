/** Says whether a host did not answer, or cannot do more. */
import type { MadeAttempt } from './judge-attempt.js';

const OVERLOADED = new Set([429, 502, 503, 504]);

/** Whether a host did not answer, or said that it cannot do more. */
export function isOverloaded(result: MadeAttempt): boolean {
  return result.kind === 'failed' || OVERLOADED.has(result.statusCode);
}
