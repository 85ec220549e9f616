/** Divides a worker's grace period, so that the worker has ended before the period is over. */

interface StopBudget {
  /** For finishing running jobs. */
  readonly drainMs: number;
  /** For returning unfinished jobs to the queue. */
  readonly handBackMs: number;
  /** For closing connections. */
  readonly closeMs: number;
}

/** The time for returning jobs and closing together; or a quarter of the grace period if that is less. */
const ENDING_MS = 1_500;

export function stopBudget(graceMs: number): StopBudget {
  const endingMs = Math.min(ENDING_MS, graceMs / 4);
  return { drainMs: graceMs - endingMs, handBackMs: (endingMs * 2) / 3, closeMs: endingMs / 3 };
}
