/** Gathers what is asked for one by one into batches: one statement does for many what each would have needed one for. */

interface BatcherOptions<Item, Result> {
  /** How long the first waits for others; 0: until what happens at this moment has happened. */
  readonly lingerMs: number;
  /** As many that gathered while a batch ran do not linger any more. Default: one. */
  readonly enough?: number;
  readonly maxItems: number;
  /** Answers for each item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * @returns asks for one. While a batch runs, others gather: at most one is under way, and the busier it is, the larger
 * they are.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { lingerMs, enough = 1, maxItems, run } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let busy = false;
  let timed = false;

  function soon(afterMs: number): void {
    if (busy || timed || waiting.length === 0) return;
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
    busy = true;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      busy = false;
      // Those that gathered meanwhile have waited.
      soon(waiting.length < enough ? lingerMs : 0);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      soon(lingerMs);
    });
}
