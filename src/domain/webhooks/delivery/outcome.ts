/** What became of a delivery that was to be attempted. */
import type { AttemptEnd } from './attempt-end.js';
import type { Finished } from './finished.js';

/** A result that is to be recorded, or an end that leaves the row as it is. */
export type Outcome = Finished | AttemptEnd;

export const HANDED_BACK: AttemptEnd = { kind: 'handed-back' };

export function snooze(delayMs: number): AttemptEnd {
  return { kind: 'snooze', delayMs };
}
