/** Keeps a process small that makes much garbage and keeps little of it. */
import { setFlagsFromString } from 'node:v8';

/** How far the heap may grow over what was alive, in percent, before it is swept again. */
const GROWING_PERCENT = 90;

/**
 * Has V8 sweep its heap before it has grown to three or four times of what is alive. Call it first thing in a process.
 * The nursery is kept small by `--max-semi-space-size=4` on the command line (launcher/process-types.ts), which V8 reads only there:
 * what a chunk needs lives as long as the chunk, so a larger one only lets garbage wait, and falls out of the
 * processor's cache. A worker for webhooks alone has one of 16 MB: what a delivery needs lives for some milliseconds, and
 * each sweep of a nursery copies what is alive then.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
