/** Finds columns that hold one level of a category each: `Category 1`, `Category 2`, or `Hauptkategorie`, `Unterkategorie`. */
import { roleOf } from './column-roles.js';

const NUMBERED = /^(.*?(?<!\/))[\s_-]*(?:level|ebene|stufe|niveau|poziom|nivel|livello)?[\s_-]*([1-9])$/iu;
const MAIN = /^(?:haupt|ober|main|top|hoofd|principal)[\s_-]*/iu;
const BELOW = /^(?:unter|sub|sous|pod|sotto)[\s_-]*/iu;
const MOST_LEVELS = 9;

/**
 * Repeated elements of nested sources, such as `category/1`, are several categories and no levels of one.
 * @returns the indexes of the columns, the topmost level first; null: there are no such columns
 */
export function levelColumns(names: readonly string[]): readonly number[] | null {
  return consecutive(names, numberOf, 1) ?? consecutive(names, depthOf, 0);
}

interface Level {
  /** What the names of all levels have in common. */
  readonly stem: string;
  readonly level: number;
}

/** The columns of one stem whose levels are all there, from the first on. */
function consecutive(
  names: readonly string[],
  levelOf: (name: string) => Level | null,
  first: number,
): readonly number[] | null {
  const stems = new Map<string, Map<number, number>>();
  for (const [index, name] of names.entries()) {
    const found = levelOf(name.trim());
    if (found === null) continue;
    const levels = stems.get(found.stem) ?? new Map<number, number>();
    // Which of two columns of one level is meant cannot be said.
    levels.set(found.level, levels.has(found.level) ? -1 : index);
    stems.set(found.stem, levels);
  }
  for (const levels of stems.values()) {
    const indexes = Array.from({ length: MOST_LEVELS }, (_, at) => levels.get(first + at));
    const end = indexes.indexOf(undefined);
    const known = indexes.slice(0, end < 0 ? MOST_LEVELS : end) as number[];
    if (known.length > 1 && known.length === levels.size && !known.includes(-1)) return known;
  }
  return null;
}

function numberOf(name: string): Level | null {
  const [, stem = '', digit] = NUMBERED.exec(name) ?? [];
  return digit !== undefined && roleOf(stem) === 'category' ? { stem: stem.toLowerCase(), level: Number(digit) } : null;
}

/** 0: the main category, or what only has others below it; 1: below it, and so on. */
function depthOf(name: string): Level | null {
  let stem = name.replace(MAIN, '');
  let level = 0;
  for (; BELOW.test(stem); level += 1) stem = stem.replace(BELOW, '');
  return roleOf(stem) === 'category' ? { stem: stem.toLowerCase(), level } : null;
}

/** What is between the levels of a category in our files. */
export const BETWEEN_LEVELS = '->';

/** The path of a row, as an import joins it; empty cells are no levels. */
export function pathOfLevels(cells: readonly string[], levels: readonly number[]): string {
  return levels
    .map((index) => (cells[index] ?? '').trim())
    .filter((name) => name !== '')
    .join(BETWEEN_LEVELS);
}
