/** Shares one event loop fairly: long computations take turns of a few milliseconds, and I/O goes in between. */

/**
 * Longest stretch of computing between two looks at the network. A small job looks some twenty times from its start to
 * its end, and beside a large import it waits for a slice each time.
 */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];
let turnScheduled = false;
let sliceEndsAt = 0;

const LONGEST_HOLD_MS = 50;
/** How many small things are being done. */
let priorityWork = 0;
let holdEndsAt = Number.NEGATIVE_INFINITY;

/**
 * Call it often in a long computation (every hundred rows or so): goes on at once while the present slice lasts, else
 * waits for a turn of its own. One computation runs per turn of the event loop, whatever their number.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (priorityWork === 0 && performance.now() < sliceEndsAt) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

/**
 * Does something small that others wait for: long computations pause until it is done, for 50 ms at most, and at most
 * half of the time.
 */
export async function withPriority<T>(work: () => Promise<T>): Promise<T> {
  const now = performance.now();
  if (priorityWork === 0 && now > holdEndsAt + LONGEST_HOLD_MS) holdEndsAt = now + LONGEST_HOLD_MS;
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
    if (priorityWork > 0 && performance.now() < holdEndsAt) {
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
