/** What the names and types of cells in the XML of a sheet mean. */
import { CELL_TYPE } from './raw-row.js';

const LETTERS = 26;
const A = 65;

const TYPE_NAMES: ReadonlyMap<string, number> = new Map<string, number>([
  ['n', CELL_TYPE.number],
  ['s', CELL_TYPE.shared],
  ['b', CELL_TYPE.boolean],
  ['e', CELL_TYPE.error],
  ['str', CELL_TYPE.formulaText],
  ['inlineStr', CELL_TYPE.inline],
  ['d', CELL_TYPE.isoDate],
]);

/** The number of a type by its name; undefined when there is no such type. */
export function cellType(name: string): number | undefined {
  return TYPE_NAMES.get(name);
}

/** The last name of a cell is XFD1048576. */
export const MAX_LETTERS = 3;
export const MAX_DIGITS = 7;

/**
 * The position of a cell by its name.
 * @returns column index * 2^21 + row, both exact in a double; -1 when it is not the name of a cell.
 */
export function cellPosition(name: string): number {
  let at = 0;
  let column = 0;
  for (; at < name.length && at <= MAX_LETTERS; at += 1) {
    const letter = name.charCodeAt(at) - A;
    if (letter < 0 || letter >= LETTERS) break;
    column = column * LETTERS + letter + 1;
  }
  if (at === 0 || at > MAX_LETTERS || at === name.length || name.length - at > MAX_DIGITS) return -1;
  let row = 0;
  for (; at < name.length; at += 1) {
    const digit = name.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return -1;
    row = row * 10 + digit;
  }
  return row === 0 ? -1 : (column - 1) * ROWS_RANGE + row;
}

/** More rows than a sheet has. */
export const ROWS_RANGE = 2 ** 21;

/** The formula whose result is an empty text: its cell is an empty one. */
export const EMPTY_TEXT = '""';
