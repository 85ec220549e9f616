/** An attack that repeats a request. */
import type { Attack } from './attack.js';

/** Repeats a request with so many at once, whatever the answers are. */
export function repeating(atOnce: number, send: () => Promise<unknown>): Attack {
  let stopped = false;
  let all: Promise<unknown> = Promise.resolve();
  const one = async () => {
    while (!stopped) await send().catch(() => undefined);
  };
  return {
    begin: () => {
      stopped = false;
      all = Promise.all(Array.from({ length: atOnce }, one));
    },
    end: async () => {
      stopped = true;
      await all;
    },
  };
}
