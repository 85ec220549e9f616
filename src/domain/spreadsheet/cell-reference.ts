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
