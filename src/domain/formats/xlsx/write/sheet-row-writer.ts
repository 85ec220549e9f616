/** Writes the rows of a sheet as XML. */
import {
  type Cell,
  columnName,
  MAX_CELL_CHARACTERS,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  SpreadsheetLimitExceeded,
  type StyledCell,
} from '../cell.js';
import { type CellStyles, STYLE } from '../cell-styles.js';
import { keepsItsDigits } from '../decimal-cell.js';
import { serialOfDate } from '../serial-dates.js';
import { type Comment, MOST_COMMENTS } from './comments.js';
import { escapeCellText, needsSpaceKept } from './escape-text.js';

const DAY_LENGTH = 'yyyy-MM-dd'.length;

/** Counts the rows and writes each with its references, which some readers require. */
export class SheetRowWriter {
  #row = 0;
  /** The openings `<c r="A` and so on, which are created once. */
  readonly #openings: string[] = [];

  readonly #header: readonly string[];
  readonly #styles: CellStyles;
  readonly comments: Comment[] = [];

  /** @param header names the columns in messages. */
  constructor(header: readonly string[], styles: CellStyles) {
    this.#header = header;
    this.#styles = styles;
  }

  /**
   * The XML of the next row.
   * @param styles index of the style of each column's texts; 0 when it is missing.
   * @throws SpreadsheetLimitExceeded
   */
  xmlOf(cells: readonly (Cell | StyledCell)[], styles: readonly number[]): string {
    this.#row += 1;
    const row = this.#row;
    if (row > MAX_SHEET_ROWS) throw tooManyRows();
    if (cells.length > this.#openings.length) this.#open(cells.length);
    let xml = `<row r="${row}">`;
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column] as Cell | StyledCell;
      if (cell === null || cell === '') continue;
      const opening = this.#openings[column] as string;
      if (typeof cell === 'string') xml += `${opening}${row}${this.#textXml(cell, column, styles[column])}`;
      else if (typeof cell === 'boolean') xml += `${opening}${row}" t="b"><v>${cell ? 1 : 0}</v></c>`;
      else if (typeof cell === 'number') xml += `${opening}${row}${this.#numberXml(cell, column, styles[column])}`;
      else if ('value' in cell) xml += this.#styledXml(cell, column);
      else if ('date' in cell) xml += `${opening}${row}${this.#dateXml(cell.date, column)}`;
      else xml += `${opening}${row}" t="e"><v>${escapeCellText(cell.error)}</v></c>`;
    }
    return `${xml}</row>`;
  }

  #styledXml({ value, format, fault }: StyledCell, column: number): string {
    const style = this.#styles.of(format, fault !== undefined);
    const isCommented = fault !== undefined && this.comments.length < MOST_COMMENTS;
    if (isCommented) this.comments.push({ row: this.#row, column, text: fault });
    const opening = `${this.#openings[column]}${this.#row}`;
    if (value === null || value === '') return style === STYLE.general ? '' : `${opening}" s="${style}"/>`;
    if (typeof value === 'string') return `${opening}${this.#textXml(value, column, style)}`;
    if (typeof value === 'number') return `${opening}" s="${style}"><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `${opening}" s="${style}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if ('date' in value) return `${opening}${this.#dateXml(value.date, column)}`;
    return `${opening}" s="${style}" t="e"><v>${escapeCellText(value.error)}</v></c>`;
  }

  #textXml(text: string, column: number, style: number | undefined): string {
    if (text.length > MAX_CELL_CHARACTERS) throw this.#cellTooLong(text, column);
    const styled =
      style === undefined || style === 0 ? '" t="inlineStr"><is><t' : `" s="${style}" t="inlineStr"><is><t`;
    const space = needsSpaceKept(text) ? ' xml:space="preserve">' : '>';
    return `${styled}${space}${escapeCellText(text)}</t></is></c>`;
  }

  #numberXml(value: number, column: number, style: number | undefined): string {
    // Adding 0 turns -0 into 0.
    return keepsItsDigits(value) ? `"><v>${value + 0}</v></c>` : this.#textXml(String(value), column, style);
  }

  #dateXml(date: string, column: number): string {
    const serial = serialOfDate(date);
    if (serial === null) return this.#textXml(date, column, STYLE.text);
    let style: number = STYLE.date;
    if (date.length > DAY_LENGTH) style = Date.parse(date) % 1000 === 0 ? STYLE.instant : STYLE.preciseInstant;
    return `" s="${style}"><v>${serial}</v></c>`;
  }

  #open(columns: number): void {
    if (columns > MAX_SHEET_COLUMNS) {
      throw new SpreadsheetLimitExceeded(
        'TOO_MANY_COLUMNS',
        `A spreadsheet has at most ${MAX_SHEET_COLUMNS} columns, and these rows have ${columns}.`,
      );
    }
    for (let at = this.#openings.length; at < columns; at += 1) this.#openings.push(`<c r="${columnName(at)}`);
  }

  #cellTooLong(text: string, column: number): SpreadsheetLimitExceeded {
    const name = this.#header[column] ?? columnName(column);
    return new SpreadsheetLimitExceeded(
      'CELL_TOO_LONG',
      `Row ${this.#row}, column "${name}": the text has ${text.length} characters, and a cell of a spreadsheet holds ` +
        `${MAX_CELL_CHARACTERS} at most.`,
    );
  }
}

function tooManyRows(): SpreadsheetLimitExceeded {
  return new SpreadsheetLimitExceeded(
    'TOO_MANY_ROWS',
    `A spreadsheet holds ${MAX_SHEET_ROWS} rows at most, its header included.`,
  );
}
