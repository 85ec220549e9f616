/** The rows of a file that a profile leaves out. */
import { RE2JS } from 're2js';
import type { Profile } from '../model/profile.js';

type Test = (cell: string) => boolean;

/** @param placeOf where a column is in a row @returns whether the profile leaves the row out */
export function compileSkip(
  conditions: Profile['skipRowsWhen'],
  placeOf: (column: string) => number,
): (row: readonly string[]) => boolean {
  const tests = conditions.map(({ column, is }) => ({ place: placeOf(column), holds: compileTest(is) }));
  return (row) => tests.some(({ place, holds }) => holds((row[place] ?? '').trim()));
}

function compileTest(is: Profile['skipRowsWhen'][number]['is']): Test {
  if (is === 'empty') return (cell) => cell === '';
  const { equals, matches } = is;
  if (matches !== undefined) {
    const pattern = RE2JS.compile(matches);
    return (cell) => pattern.matches(cell);
  }
  const texts = new Set((equals ?? []).map((text) => text.trim()));
  return (cell) => texts.has(cell);
}
