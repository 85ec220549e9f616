/**
 * Loaded into a process under test by NODE_OPTIONS: says which turns of its event loop were long, a line for each.
 * A turn is judged by the computing of the process in it, which a busy machine does not lengthen as it does the time.
 */
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 2;
const LONG_MS = 50;

/** What such a line begins with; the milliseconds follow. */
export const LONG_TURN = 'LONG TURN';

if (isMainThread && process.env.METERED_TURNS !== undefined) meterTurns();

function meterTurns(): void {
  let at = performance.now();
  let used = process.cpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const turnMs = Math.min(now - at, (user + system) / 1_000);
    at = now;
    used = process.cpuUsage();
    if (turnMs > LONG_MS) process.stdout.write(`${LONG_TURN} ${Math.round(turnMs)}\n`);
  }, EVERY_MS).unref();
}
