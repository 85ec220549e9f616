/** A row of a sheet as its XML tells it, before it is known what its values mean. */

import { RejectedInput } from '../../../kernel/rejected-input.js';
import { MAX_SHEET_COLUMNS } from '../cell.js';

/** The `t` of a cell. */
export const CELL_TYPE = { number: 0, shared: 1, boolean: 2, error: 3, formulaText: 4, inline: 5, isoDate: 6 } as const;

const TYPE_NAMES: ReadonlyMap<string, number> = new Map<string, number>([
  ['n', CELL_TYPE.number],
  ['s', CELL_TYPE.shared],
  ['b', CELL_TYPE.boolean],
  ['e', CELL_TYPE.error],
  ['str', CELL_TYPE.formulaText],
  ['inlineStr', CELL_TYPE.inline],
  ['d', CELL_TYPE.isoDate],
]);

/** The number of a type by its name; undefined: no such type. */
export function cellType(name: string): number | undefined {
  return TYPE_NAMES.get(name);
}

/** Filled and read again for each row: cell i is what stands at i in each list. */
export class RawRow {
  /** As the row says of itself; 0: it says nothing and follows the one before. */
  number = 0;
  count = 0;
  /** Index of the column; -1: it follows the one before. */
  readonly columns: number[] = [];
  /** Of the cell's own name; 0 where it has none. */
  readonly rows: number[] = [];
  readonly types: number[] = [];
  readonly styles: number[] = [];
  /** Null: the cell has no value. */
  readonly texts: (string | null)[] = [];
  /** Whether the value was computed. */
  readonly formulas: boolean[] = [];

  begin(number: number): void {
    this.number = number;
    this.count = 0;
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
    this.count = at + 1;
  }
}

/** Hears of each row of a sheet; the row is filled anew afterwards. */
export type OnRow = (row: RawRow) => void;
