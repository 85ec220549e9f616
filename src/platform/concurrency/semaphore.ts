/** Limits how much work runs at the same time; the rest waits, in the order in which it came. */

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

interface Permits {
  /** Takes a permit; returns a promise of one when none is free. @param lane those of one lane wait for each other */
  take(lane?: string): Promise<void> | undefined;
  /** Returns a permit; the lanes get one in turn, and in a lane the caller that has waited longest. */
  leave(): void;
  /** How many callers of a lane wait. */
  waitingIn(lane: string): number;
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
  /** In the order in which they get the next permits. */
  const lanes = new Map<string, (() => void)[]>();
  let free = permits;
  return {
    take: (lane = '') => {
      if (free > 0) {
        free--;
        return undefined;
      }
      return new Promise((resolve) => {
        const waiting = lanes.get(lane);
        if (waiting === undefined) lanes.set(lane, [resolve]);
        else waiting.push(resolve);
      });
    },
    leave: () => {
      for (const [lane, waiting] of lanes) {
        const next = waiting.shift();
        // The only lane stays where it is.
        if (lanes.size > 1 || waiting.length === 0) {
          lanes.delete(lane);
          if (waiting.length > 0) lanes.set(lane, waiting);
        }
        next?.();
        return;
      }
      free++;
    },
    waitingIn: (lane) => lanes.get(lane)?.length ?? 0,
  };
}
