/** How a worker spends its grace period, so that it has ended when that is over. */

interface StopBudget {
  /** For finishing what is in hand. */
  readonly drainMs: number;
  /** For giving back to the queue what was not finished. */
  readonly handBackMs: number;
  /** For closing connections. */
  readonly closeMs: number;
}

/** Handing back and closing take this together, or a quarter of the grace period if that is less. */
const ENDING_MS = 1_500;

export function stopBudget(graceMs: number): StopBudget {
  const endingMs = Math.min(ENDING_MS, graceMs / 4);
  return { drainMs: graceMs - endingMs, handBackMs: (endingMs * 2) / 3, closeMs: endingMs / 3 };
}
