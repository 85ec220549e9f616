/** What a cell of a spreadsheet holds, and how much of it a spreadsheet takes. */

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

/** Rows of a sheet, its header included. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_COLUMNS = 16_384;
/** Characters of a cell, in UTF-16 units, as spreadsheet programs count them. */
export const MAX_CELL_CHARACTERS = 32_767;

export type SpreadsheetLimit = 'TOO_MANY_ROWS' | 'TOO_MANY_COLUMNS' | 'CELL_TOO_LONG';

/** The rows do not fit into a spreadsheet; another format takes them. */
export class SpreadsheetLimitExceeded extends Error {
  override readonly name = 'SpreadsheetLimitExceeded';
  constructor(
    readonly limit: SpreadsheetLimit,
    message: string,
  ) {
    super(message);
  }
}

const MAX_EXACT_DIGITS = 15;
/** A decimal without exponent, zeros at either end aside: what is left are the digits that count. */
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
