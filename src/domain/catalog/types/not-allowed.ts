/** Describes a value that is not in its list, with a hint at the value that was probably meant. */
import { nearestName } from '../../kernel/nearest-name.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';

/** In longer lists the search would cost more than the hint is worth, because a wrong column is wrong in every row. */
const MAX_CANDIDATES = 100;
const SHOWN_OPTIONS = 5;

/** The problem of such a value. It names the nearest allowed value, else the first few. */
export function notAllowed(allowed: readonly string[], value: string): ValueProblem {
  const nearest = allowed.length > MAX_CANDIDATES ? undefined : nearestName(value, allowed, (option) => option);
  const hint = nearest === undefined ? firstFew(allowed) : `did you mean ${quoted(nearest)}?`;
  return new ValueProblem('VALUE_NOT_IN_OPTIONS', `${quoted(value)} is not one of the allowed values: ${hint}`, value);
}

function firstFew(allowed: readonly string[]): string {
  const shown = allowed.slice(0, SHOWN_OPTIONS).map(quoted).join(', ');
  const more = allowed.length - SHOWN_OPTIONS;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
