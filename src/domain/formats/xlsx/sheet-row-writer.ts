/** Writes the rows of a sheet as XML. */
import type { Cell } from './cell.js';
import {
  columnName,
  keepsItsDigits,
  MAX_CELL_CHARACTERS,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  SpreadsheetLimitExceeded,
} from './cell.js';
import { STYLE } from './cell-styles.js';
import { serialOfDate } from './serial-dates.js';

const DAY_LENGTH = 'yyyy-MM-dd'.length;

/** Counts the rows and writes each with its references, which some readers require. */
export class SheetRowWriter {
  #row = 0;
  /** The openings `<c r="A` and so on, which are created once. */
  readonly #openings: string[] = [];

  readonly #header: readonly string[];

  /** @param header names the columns in messages. */
  constructor(header: readonly string[]) {
    this.#header = header;
  }

  /**
   * The XML of the next row.
   * @param styles index of the style of each column's texts; 0 when it is missing.
   * @throws SpreadsheetLimitExceeded
   */
  xmlOf(cells: readonly Cell[], styles: readonly number[]): string {
    this.#row += 1;
    const row = this.#row;
    if (row > MAX_SHEET_ROWS) throw tooManyRows();
    if (cells.length > this.#openings.length) this.#open(cells.length);
    let xml = `<row r="${row}">`;
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column] as Cell;
      if (cell === null || cell === '') continue;
      const opening = this.#openings[column] as string;
      if (typeof cell === 'string') xml += `${opening}${row}${this.#textXml(cell, column, styles[column])}`;
      else if (typeof cell === 'boolean') xml += `${opening}${row}" t="b"><v>${cell ? 1 : 0}</v></c>`;
      else if (typeof cell === 'number') xml += `${opening}${row}${this.#numberXml(cell, column, styles[column])}`;
      else if ('date' in cell) xml += `${opening}${row}${this.#dateXml(cell.date, column)}`;
      else xml += `${opening}${row}" t="e"><v>${escapeCellText(cell.error)}</v></c>`;
    }
    return `${xml}</row>`;
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
        `A spreadsheet has at most ${MAX_SHEET_COLUMNS} columns, and these rows have ${columns}. Use fewer columns, or CSV.`,
      );
    }
    for (let at = this.#openings.length; at < columns; at += 1) this.#openings.push(`<c r="${columnName(at)}`);
  }

  #cellTooLong(text: string, column: number): SpreadsheetLimitExceeded {
    const name = this.#header[column] ?? columnName(column);
    return new SpreadsheetLimitExceeded(
      'CELL_TOO_LONG',
      `Row ${this.#row}, column "${name}": the text has ${text.length} characters, and a cell of a spreadsheet holds ` +
        `${MAX_CELL_CHARACTERS} at most. Use CSV or JSONL.`,
    );
  }
}

function tooManyRows(): SpreadsheetLimitExceeded {
  return new SpreadsheetLimitExceeded(
    'TOO_MANY_ROWS',
    `A spreadsheet holds ${MAX_SHEET_ROWS} rows at most, its header included. Use fewer rows, or CSV.`,
  );
}

// Escapes any text for XML as spreadsheet programs do.

/**
 * What must be escaped in a cell: markup; characters that XML does not allow or changes on reading; and text that looks
 * like the escape for those.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9a-fA-F]{4}_/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const UNWRITABLE = /[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const LOOKS_ESCAPED = /_(?=x[0-9a-fA-F]{4}_)/g;
const OUTER_SPACE = /^\s|\s$|[\t\n]/;

/**
 * The text of a cell: `_xHHHH_` stands for a character that XML does not allow, and `_x005F_` for the `_` of a literal
 * one.
 */
function escapeCellText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return escapeMarkup(text.replace(LOOKS_ESCAPED, '_x005F_').replace(UNWRITABLE, codeUnitEscape));
}

/** Whether readers would drop or change white space without `xml:space`. */
function needsSpaceKept(text: string): boolean {
  return OUTER_SPACE.test(text);
}

/** Text between tags, or within a double-quoted attribute, whose characters XML allows. */
export function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The value of a double-quoted attribute. */
export function escapeXmlAttribute(text: string): string {
  return escapeMarkup(text.replace(UNWRITABLE, ''))
    .replace(/"/g, '&quot;')
    .replace(/[\t\n]/g, (space) => `&#${space.charCodeAt(0)};`);
}

function codeUnitEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
