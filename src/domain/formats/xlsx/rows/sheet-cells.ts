/**
 * What the cells of a sheet hold, whatever they become: the numbers of the rows, the columns of the cells, their texts and
 * dates. All texts here are strings of bytes (xml-bytes).
 */
import { isStorable } from '../../../kernel/characters.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceLimits } from '../../model/source-limits.js';
import { columnName, MAX_CELL_CHARACTERS, MAX_SHEET_ROWS } from '../cell.js';
import { mayBeEscaped, unescapeCellText } from '../read/escaped-text.js';
import type { NumberDisplay, NumberFormat } from '../read/number-formats.js';
import type { RawRow } from '../read/raw-row.js';
import { isTooLong, type SharedStrings } from '../read/shared-strings.js';
import { cellTooLong, damaged } from '../read/workbook-problem.js';
import { bytesOfText, textOfBytes } from '../read/xml-bytes.js';
import { dateOfSerial } from '../serial-dates.js';
import { decimalOfNumber } from './cell-number.js';
import { truthOf } from './cell-text.js';
import { FormulaResults } from './formula-results.js';
import { markedCell } from './marked-cell.js';

const MOST_DAYS = 10_000;
/** A whole number whose digits a double keeps. */
export const WHOLE = /^-?[0-9]{1,15}$/;
const GENERAL: NumberFormat = { display: 'number', format: 0, digits: 1 };

/**
 * A cell far to the right implies empty cells before it, which cost time and space although the file does not hold
 * them. A sheet may imply this many, and besides these so many for each cell that has a value.
 */
const MAX_IMPLIED_CELLS = 50_000_000;
const IMPLIED_CELLS_PER_VALUE = 200;

/** The workbook around the sheet. */
export interface WorkbookContext {
  readonly sharedStrings: SharedStrings;
  /** By the index of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  /** Whether a result of 0 may be none. */
  readonly isUncalculated: boolean;
}

export class SheetCells {
  /** The number of the row that is read. */
  row = 0;
  /** Empty cells that the rows so far imply, beyond those that their values allow. */
  #impliedCells = 0;
  readonly #days = new Map<number, string | null>();
  readonly #results: FormulaResults;

  readonly #workbook: WorkbookContext;
  readonly #limits: Pick<SourceLimits, 'maxColumns'>;

  constructor(workbook: WorkbookContext, limits: Pick<SourceLimits, 'maxColumns'>) {
    this.#workbook = workbook;
    this.#results = new FormulaResults(workbook.isUncalculated, limits.maxColumns);
    this.#limits = limits;
  }

  /** Begins a row: numbers it, and completes the results of its formulas. @throws RejectedInput */
  begin(raw: RawRow): void {
    const number = raw.number > 0 ? raw.number : this.row + 1;
    if (number <= this.row) throw damaged(`its row ${number} comes after row ${this.row}`);
    if (number > MAX_SHEET_ROWS) {
      throw new RejectedInput(
        'TOO_MANY_ROWS',
        `The sheet has a row ${number}; a sheet has at most ${MAX_SHEET_ROWS} rows.`,
      );
    }
    this.row = number;
    this.#results.complete(raw, number);
  }

  /** The column of a cell. @param before the column of the cell before it; -1 for the first */
  columnOf(raw: RawRow, index: number, before: number): number {
    const named = raw.columns[index] as number;
    const row = raw.rows[index] as number;
    const column = named < 0 ? before + 1 : named;
    if (column <= before || (row !== 0 && row !== this.row)) {
      throw damaged(
        `the cell ${columnName(column)}${row === 0 ? this.row : row} is not where it belongs, in row ${this.row}`,
      );
    }
    return column;
  }

  /** A text that several cells share, by its number. @param at the column */
  sharedText(number: string, at: number): string {
    const string = WHOLE.test(number) ? this.#workbook.sharedStrings.get(Number(number)) : undefined;
    if (string === undefined) throw damaged(`the text of its cell ${columnName(at)}${this.row} is missing`);
    return this.text(string, at);
  }

  /** The text that is meant by the text of a cell; a marked cell if it cannot be stored. @param at the column */
  text(text: string, at: number): string {
    if (text.length > MAX_CELL_CHARACTERS && isTooLong(text)) throw cellTooLong(this.row, columnName(at));
    if (!mayBeEscaped(text)) return text;
    const resolved = unescapeCellText(textOfBytes(text));
    return bytesOfText(isStorable(resolved) ? resolved : markedCell('x', resolved));
  }

  /** The digits of a number. @param at the column */
  decimal(text: string, at: number): string {
    return this.#known(decimalOfNumber(text), at, 'a number');
  }

  /** TRUE or FALSE. @param at the column */
  truth(text: string, at: number): string {
    return this.#known(truthOf(text), at, 'TRUE or FALSE');
  }

  #known(value: string | null, at: number, type: string): string {
    if (value === null) throw damaged(`its cell ${columnName(at)}${this.row} is ${type} and holds another text`);
    return value;
  }

  /** How a cell shows its number. */
  formatOf(raw: RawRow, index: number): NumberFormat {
    return this.#workbook.formats[raw.styles[index] as number] ?? GENERAL;
  }

  /** The date of a number; null when no date has it. Days are repeated often, so they are cached. */
  date(serial: number, display: NumberDisplay): string | null {
    if (display !== 'day') return dateOfSerial(serial, this.#workbook.date1904, false);
    const known = this.#days.get(serial);
    if (known !== undefined) return known;
    const date = dateOfSerial(serial, this.#workbook.date1904, true);
    if (this.#days.size < MOST_DAYS) this.#days.set(serial, date);
    return date;
  }

  /** Counts the empty cells of a row. @param cells how many it has, @param values how many of them have a value */
  countEmpty(cells: number, values: number): void {
    this.#impliedCells += cells - values - values * IMPLIED_CELLS_PER_VALUE;
    if (this.#impliedCells <= MAX_IMPLIED_CELLS) return;
    const message = `Up to row ${this.row}, the sheet leaves more than ${MAX_IMPLIED_CELLS} cells empty before its values or to their right, besides ${IMPLIED_CELLS_PER_VALUE} for each value. Leave out the columns that are hardly used.`;
    throw new RejectedInput('TOO_LARGE', message, { row: this.row });
  }

  /** @throws RejectedInput for a cell of a header that cannot be one. */
  checkHeaderCell(text: string, column: number): void {
    if (text.charCodeAt(0) === 0) {
      const message = `The header's cell ${columnName(column)}${this.row} holds no text that can be read. Write the column's name.`;
      throw new RejectedInput('INVALID_HEADER', message, { row: this.row });
    }
    const { maxColumns } = this.#limits;
    if (column < maxColumns) return;
    const message = `The header has ${column + 1} columns; at most ${maxColumns} are read. Split the sheet by columns.`;
    throw new RejectedInput('TOO_MANY_COLUMNS', message, { row: this.row });
  }

  /** @throws RejectedInput for a value beyond the last column that is read. */
  checkColumn(column: number): void {
    const { maxColumns } = this.#limits;
    if (column < maxColumns) return;
    const message = `The sheet has a value in the cell ${columnName(column)}${this.row}, its column ${column + 1}; at most ${maxColumns} columns are read. Delete what is to the right of the table.`;
    throw new RejectedInput('TOO_MANY_COLUMNS', message, { row: this.row });
  }
}
