/** Limits how much work runs at the same time; the rest waits, in the order in which it came. */

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface Permits {
  /** Takes a permit; returns a promise of one when none is free. */
  take(): Promise<void> | undefined;
  /** Returns a permit; the caller that has waited longest gets it. */
  leave(): void;
}

/** @param permits how many pieces of work may run at the same time */
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

/** The same, for work that begins and ends in different functions. */
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
