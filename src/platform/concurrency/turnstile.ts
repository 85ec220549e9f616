/** Lets a few through at a time; the others wait, in the order they came. */

type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

interface Places {
  /** Takes one; a promise of one when none is free. */
  take(): Promise<void> | undefined;
  /** Gives one back: to whoever has waited longest. */
  leave(): void;
}

/** @param places how many pieces of work are done at once */
export function createTurnstile(places: number): Turnstile {
  const { take, leave } = createPlaces(places);
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
export function createPlaces(places: number): Places {
  const waiting: (() => void)[] = [];
  let free = places;
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
