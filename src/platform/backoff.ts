/** How long to wait before something that failed is tried again. */

export interface Backoff {
  /** Before the second attempt, in milliseconds; it doubles from one attempt to the next. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Beyond this the power would leave the integers; the longest pause has long been reached. */
const MOST_DOUBLINGS = 30;

/**
 * The pause after a failure, in milliseconds: doubling, capped.
 * @param failures in a row, this one included: 1 or more
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), longestMs);
}

/** A step of a job, or a fan-out, that failed by our own fault. */
export const STEP_BACKOFF: Backoff = { firstMs: 500, longestMs: 60_000 };
