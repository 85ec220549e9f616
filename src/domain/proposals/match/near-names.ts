/** Finds names that are a typing error apart, among thousands. */
import { distance } from 'fastest-levenshtein';
import { lettersOf } from './name-keys.js';
import type { Target, Targets } from './targets.js';

/** Shorter names differ in a letter and mean something else: Höhe, Nähe. */
const LEAST_LENGTH = 5;
const MAX_LENGTH = 60;
/** Comparisons for one proposal: some tens of milliseconds. */
const MOST_COMPARISONS = 100_000;
/** After so many names, other work has its turn. */
const SEEN_AT_ONCE = 2_000;

export class NearNames {
  #left = MOST_COMPARISONS;
  #seen = 0;

  constructor(
    readonly targets: Targets,
    readonly pause: () => Promise<void>,
  ) {}

  /** The nearest first. */
  async to(loose: string, isPossible: (target: Target) => boolean): Promise<readonly Target[]> {
    if (loose.length < LEAST_LENGTH || loose.length > MAX_LENGTH || /^\P{Script=Latin}+$/u.test(loose)) return [];
    const most = loose.length < 8 ? 1 : loose.length < 13 ? 2 : 3;
    const letters = lettersOf(loose);
    const found: { target: Target; changes: number }[] = [];
    for (const target of this.targets.near(loose, most)) {
      this.#seen += 1;
      if (this.#seen % SEEN_AT_ONCE === 0) await this.pause();
      // Each change adds a letter, takes one away, or both.
      if (bits(letters ^ target.letters) > 2 * most || this.#left <= 0) continue;
      this.#left -= 1;
      const changes = distance(loose, target.loose);
      if (changes <= most && isPossible(target)) found.push({ target, changes });
    }
    return found.sort((a, b) => a.changes - b.changes).map(({ target }) => target);
  }
}

function bits(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count += 1;
  return count;
}
