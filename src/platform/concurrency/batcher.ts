/** Collects single calls into batches, so that one statement serves many of them. */

interface BatcherOptions<Item, Result> {
  /** How long the first item waits for others; 0 means until the pending events of the event loop have run. */
  readonly lingerMs: number;
  /** If so many items wait when a batch ends, the next one starts without lingering. Default: one. */
  readonly enough?: number;
  readonly maxItems: number;
  /** How many batches run at the same time. Default: one. */
  readonly parallel?: number;
  /** A batch that takes longer keeps no other from running: its connection may be silent. Default: it does. */
  readonly patienceMs?: number;
  /** An error of a batch is that of all items that wait as well. Default: they are the next batch. */
  readonly failsWaiting?: boolean;
  /** Returns a result for each item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @returns a function that adds one item. Few batches run at a time and others wait for the next, so the batches grow
 * with the load.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { lingerMs, enough = 1, maxItems, parallel = 1, failsWaiting = false, patienceMs, run } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let timed = false;

  function schedule(afterMs: number): void {
    if (running >= parallel || timed || waiting.length === 0) return;
    timed = true;
    const start = () => {
      timed = false;
      void runBatch();
    };
    if (afterMs === 0) setImmediate(start);
    else setTimeout(start, afterMs);
  }

  async function runBatch(): Promise<void> {
    const batch = waiting.slice(0, maxItems);
    waiting = waiting.slice(maxItems);
    running++;
    let counts = true;
    const leave = () => {
      if (counts) running--;
      counts = false;
      // Items that arrived meanwhile have waited already.
      schedule(waiting.length < enough ? lingerMs : 0);
    };
    const patience = patienceMs === undefined ? undefined : setTimeout(leave, patienceMs).unref();
    schedule(lingerMs);
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      if (failsWaiting) for (const { reject } of waiting.splice(0)) reject(error);
    } finally {
      clearTimeout(patience);
      leave();
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule(lingerMs);
    });
}
