/** Lets a few through at a time; the others wait, in the order they came. */

export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/** @param places how many pieces of work are done at once */
export function createTurnstile(places: number): Turnstile {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
