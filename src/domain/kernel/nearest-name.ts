/** Finds the name that a misspelt name was probably meant to be. */
import { distance } from 'fastest-levenshtein';
import { attributeKey } from './attribute-key.js';

/** Longer texts are not compared. */
const MAX_CHARACTERS = 100;

/**
 * Returns the candidate whose name is nearest to `name`, ignoring case; the first of several. Undefined when more than
 * a third of the characters would have to change.
 */
export function nearestName<T>(name: string, candidates: Iterable<T>, nameOf: (candidate: T) => string): T | undefined {
  const wanted = attributeKey(name);
  if (wanted === '' || wanted.length > MAX_CHARACTERS) return undefined;
  let nearest: T | undefined;
  let best = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const key = attributeKey(nameOf(candidate));
    if (Math.abs(key.length - wanted.length) >= best) continue;
    const changes = distance(wanted, key);
    if (changes >= best) continue;
    best = changes;
    nearest = candidate;
  }
  return nearest;
}
