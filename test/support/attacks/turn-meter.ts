/**
 * Loaded into a process under test by NODE_OPTIONS: says which turns of its event loop were long, a line for each.
 * A turn is judged by what its thread computed in it, which a busy machine does not lengthen as it does the time, and to
 * which other threads of the process, such as those that compress, add nothing.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 2;
const LONG_MS = 50;

/** What such a line begins with; the milliseconds follow, and when the turn began, in milliseconds since 1970. */
export const LONG_TURN = 'LONG TURN';

if (isMainThread && process.env.METERED_TURNS !== undefined) meterTurns();

function meterTurns(): void {
  const readComputed = openThreadClock() ?? processClock;
  let at = performance.now();
  let computed = readComputed();
  setInterval(() => {
    const turnMs = Math.min(performance.now() - at, readComputed() - computed);
    const began = Math.round(performance.timeOrigin + at);
    if (turnMs > LONG_MS) process.stdout.write(`${LONG_TURN} ${Math.round(turnMs)} ${began}\n`);
    at = performance.now();
    computed = readComputed();
  }, EVERY_MS).unref();
}

/** The milliseconds that this thread has computed, from Linux; undefined where nothing says them. */
function openThreadClock(): (() => number) | undefined {
  const bytes = Buffer.alloc(100);
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r');
    // The first number is the thread's nanoseconds on a processor.
    const read = () =>
      Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;
    if (read() > 0) return read;
    closeSync(file);
  } catch {
    // Not Linux, or one that does not count them.
  }
  return undefined;
}

/** The same of all threads of the process. */
function processClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
