/** Keeps the heap small in processes that allocate much and keep little of it. */
import { setFlagsFromString } from 'node:v8';

/** How far the heap may grow beyond the live objects, in percent, before the next garbage collection. */
const GROWING_PERCENT = 90;

/**
 * Makes V8 collect garbage before the heap has grown to three or four times its live objects. Call it first in a
 * process. The young generation is kept small by `--max-semi-space-size=4` on the command line
 * (launcher/process-types.ts), because V8 reads that only there. The objects of a chunk live as long as the chunk, so a
 * larger young generation would only delay collection and exceed the processor's cache. A worker that serves only
 * webhooks has 16 MB: the objects of a delivery live for some milliseconds, and each collection copies live objects. One
 * that does all kinds of work has 8 MB.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
