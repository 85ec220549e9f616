/** Limits how much work runs at the same time; the rest waits, in the order in which it came. */
import { createPermits } from './permits.js';

export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

/** @param permits how many pieces of work may run at the same time */
export function createSemaphore(permits: number): Semaphore {
  const { take } = createPermits(permits);
  return async (work) => {
    const taken = take();
    const permit = 'then' in taken ? await taken : taken;
    try {
      return await work();
    } finally {
      permit.leave();
    }
  };
}
