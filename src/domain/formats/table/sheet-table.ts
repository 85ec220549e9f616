/** Converts the rows of a sheet to rows of a table, whose cells keep their types. */

import { wrongCount } from '../csv/parse-csv-chunk.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import { WORKBOOK_DELIMITER } from '../model/workbook-column.js';
import type { MergedCells } from '../xlsx/cell.js';
import { CELL_TYPE, type RawRow } from '../xlsx/read/raw-row.js';
import { textOfBytes } from '../xlsx/read/xml-bytes.js';
import { EMPTY_WITHOUT_TEXT, isoDate, withZeros } from '../xlsx/rows/cell-text.js';
import { isMarked, markedCell, shownText } from '../xlsx/rows/marked-cell.js';
import type { SheetContext } from '../xlsx/rows/read-sheet.js';
import { SheetCells, WHOLE } from '../xlsx/rows/sheet-cells.js';
import { timeOfSerial } from '../xlsx/serial-dates.js';
import { groupsOf } from './header-groups.js';
import { charactersOf, KeptRows } from './kept-rows.js';
import type { OnTableHead, TableOptions } from './table.js';
import { refuseBlankHeader } from './table-header.js';

const NOT_ASCII = /[\x80-\xff]/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_TITLE_CHARACTERS = 1024 * 1024;

export class SheetTable {
  /** Null until the header was read. */
  rows: KeptRows | null = null;
  readonly sheetName: string;
  readonly #cells: SheetCells;
  /** The merged cells of the upper row of the header. */
  readonly #merged: readonly MergedCells[];
  readonly #titleLines: string[] = [];
  /** The row of a header of two that names the groups. */
  #upper: { readonly cells: readonly string[]; readonly merged: readonly MergedCells[] } | null = null;
  #columns = 0;
  #characters = 0;
  /** The type of the cell that was read last. */
  #type = 't';

  readonly #options: TableOptions;
  readonly #limits: SourceLimits;
  readonly #onHead: OnTableHead;

  constructor(sheet: SheetContext, options: TableOptions, limits: SourceLimits, onHead: OnTableHead) {
    this.sheetName = sheet.sheetName;
    this.#cells = new SheetCells(sheet, limits);
    this.#merged = sheet.merged;
    this.#options = options;
    this.#limits = limits;
    this.#onHead = onHead;
  }

  /** The number of the last row that the sheet has. */
  get lastRow(): number {
    return this.#cells.row;
  }

  /** @throws RejectedInput */
  add(raw: RawRow): void {
    this.#cells.begin(raw);
    if (this.rows !== null) this.#addRow(raw, this.rows);
    else if (this.#cells.row < (this.#options.headerRow ?? 1)) this.#addTitleLine(raw);
    else this.#addHeader(raw);
  }

  #addTitleLine(raw: RawRow): void {
    const cells = this.#headerCells(raw, false).map(shownText);
    const line = cells.join('\t');
    const { headerRow = 1, headerRows } = this.#options;
    if (headerRows === 2 && this.#cells.row === headerRow - 1) {
      this.#upper = { cells, merged: raw.merged.length > 0 ? [...raw.merged] : this.#merged };
    }
    this.#fillTitleLines(this.#cells.row - 1);
    this.#titleLines.push(line);
    this.#characters += line.length;
    if (this.#characters <= MAX_TITLE_CHARACTERS) return;
    const message = `The rows above the header hold more than ${MAX_TITLE_CHARACTERS} characters. Name the header's row again.`;
    throw new RejectedInput('INVALID_HEADER', message, { row: this.#cells.row });
  }

  /** Rows that the sheet leaves out are blank. */
  #fillTitleLines(to: number): void {
    while (this.#titleLines.length < to) this.#titleLines.push('');
  }

  #addHeader(raw: RawRow): void {
    const named = this.#options.headerRow;
    const { row } = this.#cells;
    const header = this.#headerCells(raw, true);
    if (named !== undefined && (row > named || header.length === 0)) {
      throw new RejectedInput('INVALID_HEADER', `Row ${named}, which should be the header, is blank.`, { row: named });
    }
    if (header.length === 0) return;
    refuseBlankHeader(header, row);
    if (named !== undefined) this.#fillTitleLines(named - 1);
    const upper = this.#upper;
    // The last columns may have a name in the upper row alone.
    if (upper !== null) while (header.length < upper.cells.length) header.push('');
    const groups = upper === null ? undefined : groupsOf(upper.cells, header, upper.merged);
    this.#columns = header.length;
    this.#characters = 0;
    this.rows = new KeptRows(this.#options, this.#limits, row, charactersOf);
    const format = { encoding: 'utf-8', delimiter: null, headerRow: row, sheet: this.sheetName, rowPath: null };
    this.#onHead({ header, groups, titleLines: this.#titleLines, format });
  }

  /** The cells of a row as they are shown, up to the last that has a value. */
  #headerCells(raw: RawRow, checked: boolean): string[] {
    const cells: string[] = [];
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#cells.columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column);
      if (text === '') continue;
      if (checked) this.#cells.checkHeaderCell(text, column);
      else this.#cells.checkColumn(column);
      while (cells.length < column) cells.push('');
      cells.push(text);
    }
    return cells;
  }

  #addRow(raw: RawRow, rows: KeptRows): void {
    const columns = this.#columns;
    const { row } = this.#cells;
    const cells: string[] = [];
    let types = '';
    let values = 0;
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#cells.columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column);
      if (text === '') continue;
      this.#cells.checkColumn(column);
      for (; cells.length < column; types += 't') cells.push('');
      cells.push(text);
      types += this.#type;
      values += 1;
      this.#characters += text.length;
    }
    if (values === 0) return;
    for (; cells.length < columns; types += 't') cells.push('');
    this.#cells.countEmpty(cells.length, values);
    this.#checkSize();
    const problem =
      cells.length === columns ? null : wrongCount(row, cells, { columns, delimiter: WORKBOOK_DELIMITER });
    rows.add({ row, cells, types, problem });
  }

  #checkSize(): void {
    const { maxBytes } = this.#limits;
    if (this.#characters <= maxBytes) return;
    const message = `The sheet holds more than ${maxBytes} bytes of text. Split it and upload the parts one by one.`;
    throw new RejectedInput('TOO_LARGE', message, { row: this.#cells.row });
  }

  /** The text of a cell, which is empty without a value, or a marked cell; #type is what it is. */
  #textOf(raw: RawRow, index: number, at: number): string {
    const text = raw.texts[index] as string | null;
    const type = raw.types[index] as number;
    if (text === null) return raw.formulas[index] === true ? this.#marked('f', '') : '';
    if (text === '' && EMPTY_WITHOUT_TEXT.includes(type)) return '';
    switch (type) {
      case CELL_TYPE.shared:
        return this.#textCell(this.#cells.sharedText(text, at));
      case CELL_TYPE.inline:
      case CELL_TYPE.formulaText:
        return this.#textCell(this.#cells.text(text, at));
      case CELL_TYPE.boolean:
        this.#type = 'b';
        return this.#cells.truth(text, at);
      case CELL_TYPE.error:
        return this.#marked('e', plainText(text));
      case CELL_TYPE.isoDate:
        return this.#dateCell(isoDate(plainText(text)));
      default:
        return this.#numberCell(text, raw, index, at);
    }
  }

  #textCell(bytes: string): string {
    this.#type = isMarked(bytes) ? '!' : 't';
    return plainText(bytes);
  }

  #marked(kind: Parameters<typeof markedCell>[0], value: string): string {
    this.#type = '!';
    return markedCell(kind, value);
  }

  /** A number with zeros before it is a text: it is a code, and not an amount. So is a time of day. */
  #numberCell(text: string, raw: RawRow, index: number, at: number): string {
    const decimal = this.#cells.decimal(text, at);
    const { display, digits } = this.#cells.formatOf(raw, index);
    if (display !== 'number') {
      const serial = Number(decimal);
      if (display === 'time' && serial >= 0 && serial < 1) {
        this.#type = 't';
        return timeOfSerial(serial);
      }
      const date = this.#cells.date(serial, display);
      return date === null ? this.#marked('o', decimal) : this.#dateCell(date);
    }
    const isCode = digits > 1 && WHOLE.test(decimal);
    this.#type = isCode ? 't' : 'n';
    return isCode ? withZeros(decimal, digits) : decimal;
  }

  #dateCell(date: string): string {
    this.#type = dateType(date);
    return date;
  }
}

function dateType(date: string): string {
  if (DAY.test(date)) return 'd';
  return Number.isNaN(Date.parse(date)) ? 't' : 'i';
}

/** The text of a string of bytes. */
function plainText(bytes: string): string {
  return NOT_ASCII.test(bytes) ? textOfBytes(bytes) : bytes;
}
