/** Does one piece of work of a key at a time. Unlike a queue, whoever waits looks again when its turn may have come. */

type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A second job for the same delivery waits for the first, and finds it done. */
export function oneAtATime(): OneAtATime {
  const underWay = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    for (let before = underWay.get(key); before !== undefined; before = underWay.get(key)) {
      await before.catch(() => undefined);
    }
    const working = work();
    underWay.set(key, working);
    try {
      return await working;
    } finally {
      underWay.delete(key);
    }
  };
}
