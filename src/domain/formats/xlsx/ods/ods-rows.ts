/** Builds the rows of a sheet of OpenDocument from the events of the parser. */
import { RejectedInput } from '../../model/rejected-input.js';
import { columnName } from '../cell.js';
import { RawRow } from '../read/raw-row.js';
import type { XmlAttributes } from '../read/safe-xml-parser.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { cellTooLong, damaged, rowTooLong, tooComplex } from '../read/workbook-problem.js';
import { CellParagraphs } from './cell-paragraphs.js';
import { odsCell } from './ods-cell.js';
import type { OdsStyles } from './ods-styles.js';

/** Cells with values that a sheet may have by repetition alone: they cost time although the file hardly holds them. */
const MAX_REPEATED_CELLS = 50_000_000;
const MAX_ROW_CHARACTERS = 8 * 1024 * 1024;
const MOST_REPETITIONS = 2 ** 31;
const REPETITIONS = /^[1-9]\d{0,9}$/;

interface StyledColumns {
  /** The column after the last. */
  readonly end: number;
  readonly style: string | undefined;
}

export class OdsRows {
  /** How many times the last row is to be added, besides the first time. */
  pending = 0;
  readonly #row = new RawRow();
  readonly #columns: StyledColumns[] = [];
  readonly #paragraphs = new CellParagraphs();
  readonly #styles: OdsStyles;
  readonly #onRow: (row: RawRow) => void;
  /** The number of the next row. */
  #next = 1;
  #repeated = 1;
  #repeatedCells = 0;
  #column = 0;
  #characters = 0;
  #rowStyle: string | undefined;
  /** The attributes of the open cell; null outside of cells. */
  #cell: XmlAttributes | null = null;
  #isCovered = false;
  /** How many elements are open within the cell. */
  #depth = 0;

  constructor(styles: OdsStyles, onRow: (row: RawRow) => void) {
    this.#styles = styles;
    this.#onRow = onRow;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#cell !== null) {
      this.#depth += 1;
      this.#paragraphs.open(name, attributes);
    } else if (name === 'table:table-row') this.#openRow(attributes);
    else if (name === 'table:table-column') this.#addColumns(attributes);
    else if (name === 'table:table-cell' || name === 'table:covered-table-cell') {
      this.#cell = attributes;
      this.#isCovered = name === 'table:covered-table-cell';
      this.#depth = 0;
      this.#paragraphs.begin();
    }
  }

  close(name: string): void {
    if (this.#cell !== null && this.#depth > 0) {
      this.#depth -= 1;
      this.#paragraphs.close();
    } else if (this.#cell !== null) this.#closeCell(this.#cell);
    else if (name === 'table:table-row') this.#closeRow();
  }

  text(text: string): void {
    if (this.#cell === null) return;
    this.#paragraphs.add(text);
    if (this.#paragraphs.isTooLong) throw cellTooLong(this.#next, columnName(this.#column));
  }

  /** Adds the last row once more. */
  repeat(): void {
    this.pending -= 1;
    this.#row.number += 1;
    this.#onRow(this.#row);
  }

  #addColumns(attributes: XmlAttributes): void {
    if (this.#columns.length >= WORKBOOK_LIMITS.maxStyles) throw tooComplex('The sheet has too many columns');
    const start = this.#columns.at(-1)?.end ?? 0;
    const end = start + repetitions(attributes, 'table:number-columns-repeated');
    this.#columns.push({ end, style: attributes['table:default-cell-style-name'] });
  }

  #openRow(attributes: XmlAttributes): void {
    while (this.pending > 0) this.repeat();
    this.#repeated = repetitions(attributes, 'table:number-rows-repeated');
    this.#rowStyle = attributes['table:default-cell-style-name'];
    this.#row.begin(this.#next);
    this.#column = 0;
    this.#characters = 0;
  }

  #closeRow(): void {
    this.#next += this.#repeated;
    if (this.#row.count === 0) return;
    this.#countRepeated((this.#repeated - 1) * this.#row.count);
    this.#onRow(this.#row);
    this.pending = this.#repeated - 1;
  }

  #closeCell(attributes: XmlAttributes): void {
    this.#cell = null;
    const repeated = repetitions(attributes, 'table:number-columns-repeated');
    const first = this.#column;
    this.#column += repeated;
    // What is behind another cell of a merged area is not shown.
    if (this.#isCovered) return;
    const isNumber = attributes['office:value-type'] === 'float';
    const format = isNumber ? this.#styles.formatOf(this.#styleOf(attributes, first)) : 0;
    const cell = odsCell(attributes, this.#paragraphs.text, format);
    if (cell.text === null && !cell.isResult) return;
    const spanned = repetitions(attributes, 'table:number-columns-spanned');
    if (spanned > 1) this.#row.merged.push({ from: first, to: first + spanned - 1 });
    this.#openArea(attributes, first);
    this.#countRepeated(repeated - 1);
    for (let column = first; column < first + repeated; column += 1) {
      this.#row.add(column, 0, cell.type, cell.format, cell.text, cell.isResult);
    }
    this.#characters += (cell.text?.length ?? 0) * repeated;
    if (this.#characters > MAX_ROW_CHARACTERS) throw rowTooLong(this.#next);
  }

  #styleOf(attributes: XmlAttributes, column: number): string | undefined {
    const style = attributes['table:style-name'] ?? this.#rowStyle;
    return style ?? this.#columns.find(({ end }) => column < end)?.style;
  }

  /** The cells that an array formula fills have values of their own; those without one have no result. */
  #openArea(attributes: XmlAttributes, column: number): void {
    if (attributes['table:number-matrix-columns-spanned'] === undefined) return;
    const columns = repetitions(attributes, 'table:number-matrix-columns-spanned');
    const rows = repetitions(attributes, 'table:number-matrix-rows-spanned');
    this.#row.arrays.push({ from: column, to: column + columns - 1, last: this.#next + rows - 1 });
  }

  #countRepeated(cells: number): void {
    this.#repeatedCells += cells;
    if (this.#repeatedCells <= MAX_REPEATED_CELLS) return;
    const message = `Up to row ${this.#next}, the sheet repeats more than ${MAX_REPEATED_CELLS} cells. Delete the rows and columns that are not part of the table.`;
    throw new RejectedInput('TOO_LARGE', message, { row: this.#next });
  }
}

function repetitions(attributes: XmlAttributes, name: string): number {
  const written = attributes[name];
  if (written === undefined) return 1;
  const count = REPETITIONS.test(written) ? Number(written) : Number.POSITIVE_INFINITY;
  if (count > MOST_REPETITIONS) throw damaged(`it repeats a cell or a row "${written.slice(0, 40)}" times`);
  return count;
}
