/** A row of a sheet as in its XML, before its values are interpreted. */
import { RejectedInput } from '../../model/rejected-input.js';
import { MAX_SHEET_COLUMNS, type MergedCells } from '../cell.js';

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
  /** The cells of several columns that begin in the row, where the row itself says so: in OpenDocument sheets. */
  readonly merged: MergedCells[] = [];

  begin(number: number): void {
    this.number = number;
    this.count = 0;
    this.hasFormulas = false;
    if (this.arrays.length > 0) this.arrays.length = 0;
    if (this.merged.length > 0) this.merged.length = 0;
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
