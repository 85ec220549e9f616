import { codeOf } from '../platform/error-code.js';

/** The system cannot start. The message tells the person who started it what is wrong and what to do. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

/** Whether an error has one of these system codes, such as ENOENT. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}
