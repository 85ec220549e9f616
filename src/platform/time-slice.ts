/** Shares one event loop fairly: long computations take turns of a few milliseconds, and I/O runs in between. */

/**
 * The longest time that a computation runs before I/O is served. A small job has about twenty round trips, and waits
 * for one slice at each of them while a large import runs.
 */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];
let turnScheduled = false;
let sliceEndsAt = 0;

const LONGEST_PAUSE_MS = 50;
/** How many pieces of priority work are running. */
let priorityWork = 0;
let pauseEndsAt = Number.NEGATIVE_INFINITY;

/**
 * Call it often in a long computation (about every hundred rows): it continues at once within the current slice, else
 * it waits for its turn. One computation runs per turn of the event loop, whatever their number.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (priorityWork === 0 && performance.now() < sliceEndsAt) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

/**
 * Runs short work with priority: long computations pause until it is done, for at most 50 ms at a time and at most half
 * of the time.
 */
export async function withPriority<T>(work: () => Promise<T>): Promise<T> {
  const now = performance.now();
  if (priorityWork === 0 && now > pauseEndsAt + LONGEST_PAUSE_MS) pauseEndsAt = now + LONGEST_PAUSE_MS;
  priorityWork++;
  try {
    return await work();
  } finally {
    priorityWork--;
  }
}

function scheduleTurn(): void {
  if (turnScheduled) return;
  turnScheduled = true;
  setImmediate(() => {
    turnScheduled = false;
    if (priorityWork > 0 && performance.now() < pauseEndsAt) {
      turnScheduled = true;
      setTimeout(() => {
        turnScheduled = false;
        scheduleTurn();
      }, 1);
      return;
    }
    sliceEndsAt = performance.now() + SLICE_MS;
    waiting.shift()?.();
    if (waiting.length > 0) scheduleTurn();
  });
}
