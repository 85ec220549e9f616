/** Shares one event loop fairly: long computations take turns of a few milliseconds, and I/O runs in between. */

/**
 * The longest time that a computation runs before I/O is served. A small job has about twenty round trips, and waits
 * for one slice at each of them while a large import runs.
 */
const SLICE_MS = 2;

/** The same beside short work with priority, which therefore hardly waits: a turn of the event loop takes some microseconds. */
const SLICE_BESIDE_PRIORITY_MS = 0.25;

const waiting: (() => void)[] = [];
let turnScheduled = false;
let sliceEndsAt = 0;
/** How many pieces of priority work are running. */
let priorityWork = 0;

/**
 * Call it often in a long computation (about every hundred rows): it continues at once within the current slice, else
 * it waits for its turn. One computation runs per turn of the event loop, whatever their number.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (performance.now() < sliceEndsAt) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
    scheduleTurn();
  });
}

/** How many units of work are done before the next call of yieldToEventLoop: so many that they take part of a slice. */
export class Stride {
  #length = 1;
  #beganAt = performance.now();

  /** @param longest more than these are never worth it */
  constructor(readonly longest: number) {}

  /** Call it before each stride, whose length it returns: the previous one tells how long a unit takes. */
  next(): number {
    const now = performance.now();
    const tookMs = now - this.#beganAt;
    this.#beganAt = now;
    if (tookMs > SLICE_MS) this.#length = Math.max(1, this.#length >> 2);
    else if (tookMs < SLICE_MS / 4) this.#length = Math.min(this.longest, this.#length * 2);
    return this.#length;
  }

  /** Yields to the event loop if the slice is over, and does not count the time until it continues. */
  async pause(): Promise<void> {
    const turn = yieldToEventLoop();
    if (turn === undefined) return;
    const pausedAt = performance.now();
    await turn;
    this.#beganAt += performance.now() - pausedAt;
  }
}

/** Like Array.from, but yields to the event loop in between. @param longest of a Stride */
export async function fromInTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Result,
  longest = 100,
): Promise<Result[]> {
  const stride = new Stride(longest);
  const results: Result[] = [];
  let left = stride.next();
  for (const item of items) {
    if (left-- === 0) {
      await stride.pause();
      left = stride.next() - 1;
    }
    results.push(work(item, results.length));
  }
  return results;
}

/**
 * Runs short work with priority: long computations take shorter slices until it is done. They do not pause for it: while it
 * waits for the database they have the processor, and where it computes by the same functions it would wait for itself.
 */
export async function withPriority<T>(work: () => Promise<T>): Promise<T> {
  priorityWork++;
  sliceEndsAt = 0;
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
    sliceEndsAt = performance.now() + (priorityWork > 0 ? SLICE_BESIDE_PRIORITY_MS : SLICE_MS);
    waiting.shift()?.();
    if (waiting.length > 0) scheduleTurn();
  });
}
