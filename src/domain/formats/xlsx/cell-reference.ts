/** Names cells as spreadsheets do: A1, XFD1048576. */

const LETTERS = 26;
const A = 65;

/** The name of a column: 0 is A, 26 is AA. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    name = String.fromCharCode(A + ((rest - 1) % LETTERS)) + name;
  }
  return name;
}

/** Longer names than XFD1048576 are none. */
const MAX_LETTERS = 3;

/**
 * Where a cell is by its name.
 * @returns column index * 2^21 + row, both exact in a double; -1: no name of a cell.
 */
export function cellPosition(name: string): number {
  let at = 0;
  let column = 0;
  for (; at < name.length && at <= MAX_LETTERS; at += 1) {
    const letter = name.charCodeAt(at) - A;
    if (letter < 0 || letter >= LETTERS) break;
    column = column * LETTERS + letter + 1;
  }
  if (at === 0 || at > MAX_LETTERS || at === name.length || name.length - at > 7) return -1;
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
