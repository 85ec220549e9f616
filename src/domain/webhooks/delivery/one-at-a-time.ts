/** Runs one task per key at a time. Unlike in a queue, a waiting task checks again after each task that ends. */

type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A second queue job for the same delivery waits for the first one, and then finds that it has nothing to do. */
export function oneAtATime(): OneAtATime {
  const running = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    for (let before = running.get(key); before !== undefined; before = running.get(key)) {
      await before.catch(() => undefined);
    }
    const working = work();
    running.set(key, working);
    try {
      return await working;
    } finally {
      running.delete(key);
    }
  };
}
