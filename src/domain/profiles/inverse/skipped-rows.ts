/** The rows of a file that a profile leaves out. */
import { rowTest } from '../apply/row-tests.js';
import type { Profile } from '../model/profile.js';

/** @param placeOf where a column is in a row @returns whether the profile leaves the row out */
export function compileSkip(
  conditions: Profile['skipRowsWhen'],
  placeOf: (column: string) => number,
): (row: readonly string[]) => boolean {
  const tests = conditions.map((condition) => rowTest(condition, placeOf(condition.column)));
  return (row) => tests.some(({ at, holds }) => holds(row[at] ?? ''));
}
