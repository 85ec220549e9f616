/** Waits for what gives no signal: another process, or another program's state. */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Milliseconds between two looks: at first the least, then a twentieth of the time that has passed. Each look takes
 * processor time of what is waited for, and many tests wait at the same time.
 */
const POLL = { leastMs: 20, mostMs: 200, shareOfPassed: 0.05 } as const;

/**
 * Resolves as soon as `isSo` holds.
 * @param mostMs the longest time between two looks, in milliseconds: shorter for what passes by
 * @throws naming `what` when it does not within `withinMs`
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs: number,
  mostMs: number = POLL.mostMs,
): Promise<void> {
  const startedAt = Date.now();
  while (!(await isSo())) {
    const passedMs = Date.now() - startedAt;
    if (passedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(Math.min(mostMs, Math.max(POLL.leastMs, passedMs * POLL.shareOfPassed)));
  }
}
