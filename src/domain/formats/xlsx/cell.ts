/** What a cell of a spreadsheet can hold, and the limits of a spreadsheet. */
import { RejectedInput } from '../../kernel/rejected-input.js';

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

const MAX_EXACT_DIGITS = 15;
/** A decimal without an exponent. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The cell for an exact decimal (`-12.50`): a number where spreadsheet programs keep all its digits, which is up to 15
 * of them, else text.
 */
export function decimalCell(text: string): number | string {
  return DECIMAL.test(text) && significantDigits(text) <= MAX_EXACT_DIGITS ? Number(text) : text;
}

/** Whether spreadsheet programs keep all digits of a number. */
export function keepsItsDigits(value: number): boolean {
  if (Number.isInteger(value) && value > -1e15 && value < 1e15) return true;
  return Number.isFinite(value) && significantDigits(String(value)) <= MAX_EXACT_DIGITS;
}

function significantDigits(text: string): number {
  const [mantissa = ''] = text.split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  return (mantissa.includes('.') ? digits : digits.replace(/0+$/, '')).length;
}

// A row of a sheet as in its XML, before its values are interpreted.

/** The values of the attribute `t` of a cell. */
export const CELL_TYPE = { number: 0, shared: 1, boolean: 2, error: 3, formulaText: 4, inline: 5, isoDate: 6 } as const;

/** The cells that one array formula fills: columns from 0, rows from 1, the first and the last included. */
interface ArrayArea {
  readonly from: number;
  readonly to: number;
  readonly last: number;
}

/** Reused for each row: cell i consists of the entries i of all lists. */
export class RawRow {
  /** The number in the row itself; 0 when it has none and follows the previous row. */
  number = 0;
  count = 0;
  /** Index of the column; -1 when it follows the previous column. */
  readonly columns: number[] = [];
  /** The row in the cell's own name; 0 when it has none. */
  readonly rows: number[] = [];
  readonly types: number[] = [];
  readonly styles: number[] = [];
  /** Null when the cell has no value. */
  readonly texts: (string | null)[] = [];
  /** Whether the value is the result of a formula other than `""`, whose result is an empty text. */
  readonly formulas: boolean[] = [];
  /** Whether any cell of the row is the result of such a formula. */
  hasFormulas = false;
  /** The areas of the array formulas that begin in the row. */
  readonly arrays: ArrayArea[] = [];

  begin(number: number): void {
    this.number = number;
    this.count = 0;
    this.hasFormulas = false;
    if (this.arrays.length > 0) this.arrays.length = 0;
  }

  add(column: number, row: number, type: number, style: number, text: string | null, formula: boolean): void {
    const at = this.count;
    if (at >= MAX_SHEET_COLUMNS) {
      const row = this.number > 0 ? { row: this.number } : {};
      const message = `A row of the workbook has more than ${MAX_SHEET_COLUMNS} cells, which no sheet has.`;
      throw new RejectedInput('TOO_MANY_COLUMNS', message, row);
    }
    this.columns[at] = column;
    this.rows[at] = row;
    this.types[at] = type;
    this.styles[at] = style;
    this.texts[at] = text;
    this.formulas[at] = formula;
    if (formula) this.hasFormulas = true;
    this.count = at + 1;
  }

  /** Adds a cell of a formula without a result at its place; the columns of all cells must be known. */
  insertUncomputed(column: number): void {
    let at = 0;
    while (at < this.count && (this.columns[at] as number) < column) at += 1;
    this.columns.splice(at, 0, column);
    this.rows.splice(at, 0, 0);
    this.types.splice(at, 0, CELL_TYPE.number);
    this.styles.splice(at, 0, 0);
    this.texts.splice(at, 0, null);
    this.formulas.splice(at, 0, true);
    this.count += 1;
  }
}
