/** Waits for what gives no signal: another process, or another program's state. */
import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 20;

/** Resolves as soon as `isSo` holds. @throws naming `what` when it does not within `withinMs` */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  for (const end = Date.now() + withinMs; !(await isSo()); await delay(POLL_INTERVAL_MS)) {
    if (Date.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
  }
}
