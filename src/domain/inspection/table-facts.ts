/** Gathers what all rows of a table are, and keeps the last of them back until it is known whether they are data. */
import type { TableRow } from '../formats/table/table.js';
import { shownText } from '../formats/xlsx/rows/marked-cell.js';
import { cut } from './cells/signature.js';
import type { ColumnFacts } from './columns/column-facts.js';
import type { KeptValues } from './columns/kept-values.js';
import { countLastRows } from './dialect/last-rows.js';
import { pathOfLevels } from './kind/level-columns.js';

const SAMPLE_ROWS = 20;
const MAX_SAMPLE_CELL = 1_000;
/** Rows of totals and notes at the end are at most so many. */
const HELD_ROWS = 6;

export class TableFacts {
  rows = 0;
  /** Rows at the end that are no data. */
  lastRows = 0;
  /** Rows that have more or fewer cells than the header, or stray quotes. */
  raggedRows = 0;
  readonly sample: { row: number; cells: string[] }[] = [];
  readonly #held: TableRow[] = [];

  /**
   * @param hasLastRows whether rows at the end may be totals and notes, as in tables that people make
   * @param levels the columns that hold one level of a category each, and what keeps their paths
   */
  constructor(
    readonly columns: readonly ColumnFacts[],
    readonly hasLastRows: boolean,
    readonly levels: { readonly columns: readonly number[]; readonly kept: KeptValues } | null = null,
  ) {}

  add(row: TableRow): void {
    this.#held.push(row);
    if (this.#held.length > HELD_ROWS) this.#judge(this.#held.shift() as TableRow);
  }

  /** Judges the rows that were kept back. */
  finish(): void {
    this.lastRows = this.hasLastRows ? countLastRows(this.#held, this.columns) : 0;
    for (const row of this.#held.slice(0, this.#held.length - this.lastRows)) this.#judge(row);
  }

  #judge({ row, cells: given, types, problem }: TableRow): void {
    // A cell of a workbook that no column accepts is what it shows: the error of a formula, say.
    const cells = types === null ? given : given.map(shownText);
    this.rows += 1;
    if (this.sample.length < SAMPLE_ROWS) {
      this.sample.push({ row, cells: cells.map((cell) => cut(cell, MAX_SAMPLE_CELL)) });
    }
    if (problem !== null) {
      this.raggedRows += 1;
      return;
    }
    const { columns, levels } = this;
    if (levels !== null) {
      const path = pathOfLevels(cells, levels.columns);
      if (path !== '') levels.kept.add(path, false, () => true);
    }
    for (let index = 0; index < columns.length; index += 1) {
      const type = types === null ? 't' : (types[index] as string);
      (columns[index] as ColumnFacts).add(cells[index] as string, row, type);
    }
  }
}
