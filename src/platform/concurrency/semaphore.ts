/** Lets a few through at a time; the others wait, in the order they came. */

type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface Permits {
  /** Takes one; a promise of one when none is free. */
  take(): Promise<void> | undefined;
  /** Gives one back: to whoever has waited longest. */
  leave(): void;
}

/** @param places how many pieces of work are done at once */
export function createSemaphore(permits: number): Semaphore {
  const { take, leave } = createPermits(permits);
  return async (work) => {
    const free = take();
    if (free !== undefined) await free;
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** The same for work that begins and ends in different functions. */
export function createPermits(permits: number): Permits {
  const waiting: (() => void)[] = [];
  let free = permits;
  return {
    take: () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free--;
      return undefined;
    },
    leave: () => {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
