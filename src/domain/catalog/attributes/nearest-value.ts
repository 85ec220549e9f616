/** Says what was probably meant by a word that is not on a list. */
import { closest, distance } from 'fastest-levenshtein';
import { quoted, ValueProblem } from './value-problem.js';

/** Beyond these the search would cost more than the hint is worth: a wrong column is wrong in every row. */
const MAX_CANDIDATES = 100;
const MAX_WORD_CHARACTERS = 60;
const SHOWN_OPTIONS = 5;

/** The candidate nearest to a word, if it is near enough to be a slip of the pen; case does not count. */
export function nearestTo(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || candidates.length > MAX_CANDIDATES || word.length > MAX_WORD_CHARACTERS) {
    return undefined;
  }
  const lower = word.trim().toLowerCase();
  const lowered = candidates.map((candidate) => candidate.slice(0, 2 * MAX_WORD_CHARACTERS).toLowerCase());
  const best = closest(lower, lowered);
  return distance(lower, best) <= Math.max(1, Math.floor(lower.length / 3))
    ? candidates[lowered.indexOf(best)]
    : undefined;
}

/** A value that is none of the allowed: names the nearest, else the first few. */
export function notAllowed(allowed: readonly string[], value: string): ValueProblem {
  const nearest = nearestTo(value, allowed);
  const hint = nearest === undefined ? firstFew(allowed) : `did you mean ${quoted(nearest)}?`;
  return new ValueProblem('VALUE_NOT_IN_OPTIONS', `${quoted(value)} is not one of the allowed values: ${hint}`, value);
}

function firstFew(allowed: readonly string[]): string {
  const shown = allowed.slice(0, SHOWN_OPTIONS).map(quoted).join(', ');
  const more = allowed.length - SHOWN_OPTIONS;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
