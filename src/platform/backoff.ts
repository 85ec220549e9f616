/** Computes how long to wait before a retry. */

export interface Backoff {
  /** The pause before the second attempt, in milliseconds; it doubles from one attempt to the next. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Limits the exponent, so that the power stays exact; the longest pause is reached much earlier. */
const MOST_DOUBLINGS = 30;

/**
 * Returns the pause after a failure, in milliseconds: it doubles up to a limit.
 * @param failures the number of consecutive failures including this one: 1 or more
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), longestMs);
}

/** The backoff of a step of a job, or of a fan-out, after an internal error. */
export const STEP_BACKOFF: Backoff = { firstMs: 500, longestMs: 60_000 };

/** The backoff of work that an outage has stopped: short enough that it continues soon after the outage. */
export const OUTAGE_BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
