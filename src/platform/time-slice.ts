/** Shares one event loop fairly: long computations take turns of a few milliseconds, and I/O goes in between. */

/**
 * Longest stretch of computing between two looks at the network. A small job looks some twenty times from its start to
 * its end, and beside a large import it waits for a slice each time.
 */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];
let turnScheduled = false;
let sliceEndsAt = 0;

/**
 * Call it often in a long computation (every hundred rows or so): goes on at once while the present slice lasts, else
 * waits for a turn of its own. One computation runs per turn of the event loop, whatever their number.
 */
export function breathe(): Promise<void> | undefined {
  if (performance.now() < sliceEndsAt) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

function scheduleTurn(): void {
  if (turnScheduled) return;
  turnScheduled = true;
  setImmediate(() => {
    turnScheduled = false;
    sliceEndsAt = performance.now() + SLICE_MS;
    waiting.shift()?.();
    if (waiting.length > 0) scheduleTurn();
  });
}
