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
  const wanted = attributeKey(name);
  if (wanted === '' || wanted.length > MAX_CHARACTERS) return undefined;
  let nearest: T | undefined;
  const longer: T[] = [];
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const key = attributeKey(nameOf(candidate));
    if (wanted.length >= MIN_BEGINNING && longer.length < 2 && key.startsWith(wanted)) longer.push(candidate);
    if (Math.abs(key.length - wanted.length) >= best) continue;
    const changes = changesBetween(wanted, key);
    if (changes >= best) continue;
    best = changes;
    nearest = candidate;
  }
  return nearest ?? (longer.length === 1 ? longer[0] : undefined);
}
