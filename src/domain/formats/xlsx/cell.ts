/** What a cell of a spreadsheet can hold, and the limits of a spreadsheet. */

/** A day (`2024-01-31`) or an instant in UTC (`2024-01-31T09:30:00Z`, `2024-01-31T09:30:00.125Z`). */
interface DateCell {
  readonly date: string;
}

/** An error as spreadsheet programs show it: `#N/A`. */
interface ErrorCell {
  readonly error: string;
}

/** Null is an empty cell; an empty text is written as one, too. Texts stay texts, whatever they look like. */
export type Cell = string | number | boolean | null | DateCell | ErrorCell;

/** A cell with its own format. */
export interface StyledCell {
  readonly value: Cell;
  /** The code of a number format, or the number of a built-in one; 0 is the general format. */
  readonly format: number | string;
  /** What is wrong with the cell: it is marked, and has this as a comment. */
  readonly fault?: string | undefined;
}

/** The columns of one row that a single cell covers, from 0; the first and the last included. */
export interface MergedCells {
  readonly from: number;
  readonly to: number;
}

/** Rows of a sheet, its header included. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_COLUMNS = 16_384;
/** Characters of a cell, in UTF-16 units, as spreadsheet programs count them. */
export const MAX_CELL_CHARACTERS = 32_767;

export type SpreadsheetLimit = 'TOO_MANY_ROWS' | 'TOO_MANY_COLUMNS' | 'CELL_TOO_LONG';

/** The rows do not fit into a spreadsheet; another format can hold them. */
export class SpreadsheetLimitExceeded extends Error {
  override readonly name = 'SpreadsheetLimitExceeded';
  constructor(
    readonly limit: SpreadsheetLimit,
    message: string,
  ) {
    super(message);
  }
}

const A = 65;

/** The name of a column as in A1 and XFD1048576: 0 is A, 26 is AA. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(A + ((rest - 1) % 26)) + name;
  }
  return name;
}
