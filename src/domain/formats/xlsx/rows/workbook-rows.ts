/**
 * Converts the rows of a sheet to lines of its normalised copy, with texts as the columns read them. All texts here are
 * strings of bytes (xml-bytes).
 */
import type { SourceLimits } from '../../model/source-limits.js';
import { TEXT_COLUMN, WORKBOOK_DELIMITER, type WorkbookColumn } from '../../model/workbook-column.js';
import { CELL_TYPE, type RawRow } from '../read/raw-row.js';
import { textOfBytes } from '../read/xml-bytes.js';
import { timeOfSerial } from '../serial-dates.js';
import { dateText, EMPTY_WITHOUT_TEXT, isoDate, isTypedColumn, quoted, withZeros } from './cell-text.js';
import { markedCell } from './marked-cell.js';
import { SheetCells, WHOLE, type WorkbookContext } from './sheet-cells.js';
import { SheetLines } from './sheet-lines.js';

/** Texts that may be read as numbers or dates: quotes tell them from cells that are numbers or dates. */
const LOOKS_TYPED = /^\s*[-+]?[0-9]/;
const TEXTS: readonly number[] = [CELL_TYPE.shared, CELL_TYPE.inline, CELL_TYPE.formulaText];

/** A header's cells are read as they are shown. */
const HEADER_COLUMN: WorkbookColumn = { kind: 'other', decimalSeparator: '.', writeDate: (canonical) => canonical };

export class WorkbookRows {
  /** The lines of the rows that were added. */
  readonly lines = new SheetLines();
  /** Null until the header was read. */
  #columns: readonly WorkbookColumn[] | null = null;
  readonly #cells: SheetCells;

  readonly #resolveColumns: (header: string[]) => readonly WorkbookColumn[];

  /** @param resolveColumns called once with the header's cells; throws RejectedInput. */
  constructor(
    workbook: WorkbookContext,
    limits: SourceLimits,
    resolveColumns: (header: string[]) => readonly WorkbookColumn[],
  ) {
    this.#cells = new SheetCells(workbook, limits);
    this.#resolveColumns = resolveColumns;
  }

  /** @throws RejectedInput */
  add(raw: RawRow): void {
    this.#cells.begin(raw);
    if (this.#columns === null) this.#addHeader(raw);
    else this.#addRow(raw, this.#columns);
  }

  #addHeader(raw: RawRow): void {
    const cells: string[] = [];
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#cells.columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column, HEADER_COLUMN);
      if (text === '') continue;
      this.#cells.checkHeaderCell(text, column);
      while (cells.length < column) cells.push('');
      cells.push(text);
    }
    if (cells.length === 0) return;
    this.#columns = this.#resolveColumns(cells.map(textOfBytes));
    this.lines.write(this.#cells.row, cells.map(quoted).join(WORKBOOK_DELIMITER));
  }

  #addRow(raw: RawRow, columns: readonly WorkbookColumn[]): void {
    let line = '';
    let last = 0;
    let values = 0;
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      column = this.#cells.columnOf(raw, index, column);
      const text = this.#textOf(raw, index, column, columns[column] ?? TEXT_COLUMN);
      if (text === '') continue;
      this.#cells.checkColumn(column);
      for (; last < column; last += 1) line += WORKBOOK_DELIMITER;
      const isText = TEXTS.includes(raw.types[index] as number) && isTypedColumn(columns[column] ?? TEXT_COLUMN);
      line += isText && LOOKS_TYPED.test(text) ? `"${text.replaceAll('"', '""')}"` : quoted(text);
      values += 1;
    }
    if (values === 0) return;
    for (; last < columns.length - 1; last += 1) line += WORKBOOK_DELIMITER;
    this.lines.write(this.#cells.row, line);
    this.#cells.countEmpty(last + 1, values);
  }

  /** The text of a cell, which is empty without a value, or a marked cell. */
  #textOf(raw: RawRow, index: number, at: number, column: WorkbookColumn): string {
    const text = raw.texts[index] as string | null;
    const type = raw.types[index] as number;
    if (text === null) return raw.formulas[index] === true ? markedCell('f', '') : '';
    if (text === '' && EMPTY_WITHOUT_TEXT.includes(type)) return '';
    switch (type) {
      case CELL_TYPE.shared:
        return this.#cells.sharedText(text, at);
      case CELL_TYPE.inline:
      case CELL_TYPE.formulaText:
        return this.#cells.text(text, at);
      case CELL_TYPE.boolean:
        return this.#cells.truth(text, at);
      case CELL_TYPE.error:
        return markedCell('e', text);
      case CELL_TYPE.isoDate:
        return dateText(isoDate(text), column);
      default:
        return this.#numberText(text, raw, index, at, column);
    }
  }

  #numberText(text: string, raw: RawRow, index: number, at: number, column: WorkbookColumn): string {
    const decimal = this.#cells.decimal(text, at);
    const { display, digits } = this.#cells.formatOf(raw, index);
    if (display !== 'number') {
      const serial = Number(decimal);
      const date =
        display === 'time' && serial >= 0 && serial < 1 ? timeOfSerial(serial) : this.#cells.date(serial, display);
      if (date === null) return markedCell(column.writeDate === null ? 'd' : 'o', decimal);
      return dateText(date, column);
    }
    if (column.kind === 'text') return WHOLE.test(decimal) ? withZeros(decimal, digits) : markedCell('n', decimal);
    return column.decimalSeparator === ',' ? decimal.replace('.', ',') : decimal;
  }
}
