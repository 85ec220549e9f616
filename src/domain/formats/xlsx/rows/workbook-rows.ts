/**
 * Converts the rows of a sheet to lines of its normalised copy, with texts as the columns read them. All texts here are
 * strings of bytes (xml-bytes).
 */
import { isStorable } from '../../../kernel/characters.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceLimits } from '../../model/source-limits.js';
import type { WorkbookColumn } from '../../model/workbook-column.js';
import { TEXT_COLUMN, WORKBOOK_DELIMITER } from '../../model/workbook-column.js';
import { columnName, MAX_CELL_CHARACTERS, MAX_SHEET_ROWS } from '../cell.js';
import { mayBeEscaped, unescapeCellText } from '../read/escaped-text.js';
import type { NumberDisplay, NumberFormat } from '../read/number-formats.js';
import type { RawRow } from '../read/raw-row.js';
import { CELL_TYPE } from '../read/raw-row.js';
import type { SharedStrings } from '../read/shared-strings.js';
import { isTooLong } from '../read/shared-strings.js';
import { cellTooLong, damaged } from '../read/workbook-problem.js';
import { bytesOfText, textOfBytes } from '../read/xml-bytes.js';
import { dateOfSerial, timeOfSerial } from '../serial-dates.js';
import { decimalOfNumber } from './cell-number.js';
import { dateText, isoDate, isTrue, isTypedColumn, quoted, withZeros } from './cell-text.js';
import { FormulaResults } from './formula-results.js';
import { markedCell } from './marked-cell.js';
import { SheetLines } from './sheet-lines.js';

/** Texts that may be read as numbers or dates: quotes tell them from cells that are numbers or dates. */
const LOOKS_TYPED = /^\s*[-+]?[0-9]/;
const TEXTS: readonly number[] = [CELL_TYPE.shared, CELL_TYPE.inline, CELL_TYPE.formulaText];
const MOST_DAYS = 10_000;
const WHOLE = /^-?[0-9]{1,15}$/;
const GENERAL: NumberFormat = { display: 'number', format: 0, digits: 1 };

/**
 * A cell far to the right implies empty cells before it, which cost time and space although the file does not hold
 * them. A sheet may imply this many, and besides these so many for each cell that has a value.
 */
const MAX_IMPLIED_CELLS = 50_000_000;
const IMPLIED_CELLS_PER_VALUE = 200;

/** The workbook around the sheet. */
interface WorkbookContext {
  readonly sharedStrings: SharedStrings;
  /** By the index of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  /** Whether a result of 0 may be none. */
  readonly isUncalculated: boolean;
}

/** A header's cells are read as they are shown. */
const HEADER_COLUMN: WorkbookColumn = { kind: 'other', decimalSeparator: '.', writeDate: (canonical) => canonical };

export class WorkbookRows {
  /** The lines of the rows that were added. */
  readonly lines = new SheetLines();
  #row = 0;
  /** Empty cells that the rows so far imply, beyond those that their values allow. */
  #impliedCells = 0;
  /** Null until the header was read. */
  #columns: readonly WorkbookColumn[] | null = null;
  readonly #days = new Map<number, string | null>();
  readonly #results: FormulaResults;

  readonly #workbook: WorkbookContext;
  readonly #limits: SourceLimits;
  readonly #resolveColumns: (header: string[]) => readonly WorkbookColumn[];

  /** @param resolveColumns called once with the header's cells; throws RejectedInput. */
  constructor(
    workbook: WorkbookContext,
    limits: SourceLimits,
    resolveColumns: (header: string[]) => readonly WorkbookColumn[],
  ) {
    this.#workbook = workbook;
    this.#results = new FormulaResults(workbook.isUncalculated, limits.maxColumns);
    this.#limits = limits;
    this.#resolveColumns = resolveColumns;
  }

  /** @throws RejectedInput */
  add(raw: RawRow): void {
    this.#number(raw);
    this.#results.complete(raw, this.#row);
    if (this.#columns === null) this.#addHeader(raw);
    else this.#addRow(raw, this.#columns);
  }

  #number(raw: RawRow): void {
    const number = raw.number > 0 ? raw.number : this.#row + 1;
    if (number <= this.#row) throw damaged(`its row ${number} comes after row ${this.#row}`);
    if (number > MAX_SHEET_ROWS) {
      throw new RejectedInput(
        'TOO_MANY_ROWS',
        `The sheet has a row ${number}; a sheet has at most ${MAX_SHEET_ROWS} rows.`,
      );
    }
    this.#row = number;
  }

  #addHeader(raw: RawRow): void {
    const cells: string[] = [];
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column, HEADER_COLUMN);
      if (text === '') continue;
      if (text.charCodeAt(0) === 0) throw this.#unreadableHeader(column);
      if (column >= this.#limits.maxColumns) throw this.#tooManyColumns(column);
      while (cells.length < column) cells.push('');
      cells.push(text);
    }
    if (cells.length === 0) return;
    this.#columns = this.#resolveColumns(cells.map(textOfBytes));
    this.lines.write(this.#row, cells.map(quoted).join(WORKBOOK_DELIMITER));
  }

  #addRow(raw: RawRow, columns: readonly WorkbookColumn[]): void {
    let line = '';
    let last = 0;
    let values = 0;
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column, columns[column] ?? TEXT_COLUMN);
      if (text === '') continue;
      if (column >= this.#limits.maxColumns) throw this.#cellTooFarRight(column);
      for (; last < column; last += 1) line += WORKBOOK_DELIMITER;
      const isText = TEXTS.includes(raw.types[index] as number) && isTypedColumn(columns[column] ?? TEXT_COLUMN);
      line += isText && LOOKS_TYPED.test(text) ? `"${text.replaceAll('"', '""')}"` : quoted(text);
      values += 1;
    }
    if (values === 0) return;
    for (; last < columns.length - 1; last += 1) line += WORKBOOK_DELIMITER;
    this.lines.write(this.#row, line);
    this.#impliedCells += last + 1 - values - values * IMPLIED_CELLS_PER_VALUE;
    if (this.#impliedCells > MAX_IMPLIED_CELLS) throw this.#tooSparse();
  }

  #columnOf(raw: RawRow, index: number, before: number): number {
    const named = raw.columns[index] as number;
    const row = raw.rows[index] as number;
    const column = named < 0 ? before + 1 : named;
    if (column <= before || (row !== 0 && row !== this.#row)) {
      throw damaged(
        `the cell ${columnName(column)}${row === 0 ? this.#row : row} is not where it belongs, in row ${this.#row}`,
      );
    }
    return column;
  }

  /** The text of a cell, which is empty without a value, or a marked cell. */
  #textOf(raw: RawRow, index: number, at: number, column: WorkbookColumn): string {
    const text = raw.texts[index] as string | null;
    const type = raw.types[index] as number;
    if (text === null) return raw.formulas[index] === true ? markedCell('f', '') : '';
    if (text === '' && type === CELL_TYPE.number) return '';
    switch (type) {
      case CELL_TYPE.shared:
        return this.#checkedText(this.#shared(text, at), at);
      case CELL_TYPE.inline:
      case CELL_TYPE.formulaText:
        return this.#checkedText(text, at);
      case CELL_TYPE.boolean:
        return isTrue(text) ? 'TRUE' : 'FALSE';
      case CELL_TYPE.error:
        return markedCell('e', text);
      case CELL_TYPE.isoDate:
        return dateText(isoDate(text), column);
      default:
        return this.#numberText(text, raw.styles[index] as number, at, column);
    }
  }

  #shared(text: string, at: number): string {
    const string = WHOLE.test(text) ? this.#workbook.sharedStrings.get(Number(text)) : undefined;
    if (string === undefined) throw damaged(`the text of its cell ${columnName(at)}${this.#row} is missing`);
    return string;
  }

  #checkedText(text: string, at: number): string {
    if (text.length > MAX_CELL_CHARACTERS && isTooLong(text)) throw cellTooLong(this.#row, columnName(at));
    if (!mayBeEscaped(text)) return text;
    const resolved = unescapeCellText(textOfBytes(text));
    return bytesOfText(isStorable(resolved) ? resolved : markedCell('x', resolved));
  }

  #numberText(text: string, style: number, at: number, column: WorkbookColumn): string {
    const decimal = decimalOfNumber(text);
    if (decimal === null) throw damaged(`its cell ${columnName(at)}${this.#row} is a number and holds another text`);
    const { display, digits } = this.#workbook.formats[style] ?? GENERAL;
    if (display !== 'number') {
      const serial = Number(decimal);
      const date = display === 'time' && serial >= 0 && serial < 1 ? timeOfSerial(serial) : this.#date(serial, display);
      if (date === null) return markedCell(column.writeDate === null ? 'd' : 'o', decimal);
      return dateText(date, column);
    }
    if (column.kind === 'text') return WHOLE.test(decimal) ? withZeros(decimal, digits) : markedCell('n', decimal);
    return column.decimalSeparator === ',' ? decimal.replace('.', ',') : decimal;
  }

  /** Days are repeated often, so they are cached. */
  #date(serial: number, display: NumberDisplay): string | null {
    if (display !== 'day') return dateOfSerial(serial, this.#workbook.date1904, false);
    const known = this.#days.get(serial);
    if (known !== undefined) return known;
    const date = dateOfSerial(serial, this.#workbook.date1904, true);
    if (this.#days.size < MOST_DAYS) this.#days.set(serial, date);
    return date;
  }

  #unreadableHeader(column: number): RejectedInput {
    const message = `The header's cell ${columnName(column)}${this.#row} holds no text that can be read. Write the column's name.`;
    return new RejectedInput('INVALID_HEADER', message, { row: this.#row });
  }

  #cellTooFarRight(column: number): RejectedInput {
    const { maxColumns } = this.#limits;
    const message = `The sheet has a value in the cell ${columnName(column)}${this.#row}, its column ${column + 1}; at most ${maxColumns} columns are read. Delete what is to the right of the table.`;
    return new RejectedInput('TOO_MANY_COLUMNS', message, { row: this.#row });
  }

  #tooSparse(): RejectedInput {
    const message = `Up to row ${this.#row}, the sheet leaves more than ${MAX_IMPLIED_CELLS} cells empty before its values or to their right, besides ${IMPLIED_CELLS_PER_VALUE} for each value. Leave out the columns that are hardly used.`;
    return new RejectedInput('TOO_LARGE', message, { row: this.#row });
  }

  #tooManyColumns(column: number): RejectedInput {
    const { maxColumns } = this.#limits;
    const message = `The header has ${column + 1} columns; at most ${maxColumns} are read. Split the sheet by columns.`;
    return new RejectedInput('TOO_MANY_COLUMNS', message, { row: this.#row });
  }
}
