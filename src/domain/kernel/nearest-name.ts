/** Finds the name that a misspelt name was probably meant to be. */
import { distance } from 'fastest-levenshtein';
import { attributeKey } from './attribute-key.js';

/** Longer texts are not compared. */
const MAX_CHARACTERS = 100;

/** The beginning of a longer name is recognized from this length on. */
const MIN_BEGINNING = 4;

/** How many characters have to change; the same letters in another order count as one change. */
function changesBetween(one: string, other: string): number {
  const changes = distance(one, other);
  return changes === 2 && [...one].sort().join('') === [...other].sort().join('') ? 1 : changes;
}

/**
 * Returns the candidate whose name is nearest to `name`, ignoring case; the first of several. If more than a third of
 * the characters would have to change, it is the only candidate that begins with `name`, if there is one.
 */
export function nearestName<T>(name: string, candidates: Iterable<T>, nameOf: (candidate: T) => string): T | undefined {
  return nearestKey(attributeKey(name), candidates, (candidate) => attributeKey(nameOf(candidate)));
}

function nearestKey<T>(wanted: string, candidates: Iterable<T>, keyOf: (candidate: T) => string): T | undefined {
  if (wanted === '' || wanted.length > MAX_CHARACTERS) return undefined;
  let nearest: T | undefined;
  const longer: T[] = [];
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (wanted.length >= MIN_BEGINNING && longer.length < 2 && key.startsWith(wanted)) longer.push(candidate);
    if (Math.abs(key.length - wanted.length) >= best) continue;
    const changes = changesBetween(wanted, key);
    if (changes >= best) continue;
    best = changes;
    nearest = candidate;
  }
  return nearest ?? (longer.length === 1 ? longer[0] : undefined);
}

/** Comparisons for one input: some tens of milliseconds. */
const MOST_COMPARISONS = 100_000;

/**
 * Finds such names for the rows of one input, which may name anything in each of their values, among the thousands of
 * names that a site may have. A name is searched for once, and after so many comparisons none is: the work is bounded,
 * whatever the rows say. The first name is always searched for.
 */
export class NameHints<T> {
  readonly #known = new Map<string, T | undefined>();
  #keyed: readonly (readonly [key: string, candidate: T])[] | undefined;
  #left = MOST_COMPARISONS;

  constructor(
    readonly candidates: () => Iterable<T>,
    readonly nameOf: (candidate: T) => string,
  ) {}

  nearest(name: string): T | undefined {
    const wanted = attributeKey(name);
    if (this.#known.has(wanted)) return this.#known.get(wanted);
    if (this.#left <= 0) return undefined;
    this.#keyed ??= Array.from(this.candidates(), (candidate) => [attributeKey(this.nameOf(candidate)), candidate]);
    this.#left -= this.#keyed.length;
    const nearest = nearestKey(wanted, this.#keyed, ([key]) => key)?.[1];
    this.#known.set(wanted, nearest);
    return nearest;
  }
}
