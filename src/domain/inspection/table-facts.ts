/** Gathers what all rows of a table are, and keeps the last of them back until it is known whether they are data. */
import type { TableRow } from '../formats/table/table.js';
import { shownText } from '../formats/xlsx/rows/marked-cell.js';
import type { ApartRowsFinder } from './apart-rows.js';
import { cut } from './cells/signature.js';
import type { ColumnFacts } from './columns/column-facts.js';
import type { KeptValues } from './columns/kept-values.js';
import { pathOfLevels } from './kind/level-columns.js';
import { startsLikeTotal } from './total-rows.js';

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
  readonly sample: { row: number; cells: string[]; types: string | null }[] = [];
  readonly #held: TableRow[] = [];

  /**
   * @param hasLastRows whether rows at the end may be totals and notes, as in tables that people make
   * @param apart finds rows among them that are titles and sums; null: there are none, as in JSON
   * @param levels the columns that hold one level of a category each, and what keeps their paths
   */
  constructor(
    readonly columns: readonly ColumnFacts[],
    readonly hasLastRows: boolean,
    readonly apart: ApartRowsFinder | null,
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

  #judge(read: TableRow): void {
    const { row, cells: given, types, problem } = read;
    // A cell of a workbook that no column accepts is what it shows: the error of a formula, say.
    const cells = types === null ? given : given.map(shownText);
    this.rows += 1;
    if (this.sample.length < SAMPLE_ROWS) {
      // What no column accepts is shown as a text.
      const shown = types?.replaceAll('!', 't') ?? null;
      this.sample.push({ row, cells: cells.map((cell) => cut(cell, MAX_SAMPLE_CELL)), types: shown });
    }
    if (problem !== null) {
      this.raggedRows += 1;
      return;
    }
    const { columns, levels } = this;
    this.apart?.add(read);
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

/** Columns that nearly every row fills. */
const USUALLY_FILLED = 0.9;

/** Counts the rows at the end that are no data: totals and notes. @param held the last rows @param columns what is known of the rows before them */
function countLastRows(held: readonly TableRow[], columns: readonly ColumnFacts[]): number {
  let last = 0;
  for (let index = held.length - 1; index >= 0; index -= 1) {
    if (!isNoData(held[index] as TableRow, columns)) break;
    last = held.length - index;
  }
  return last;
}

function isNoData({ cells, problem }: TableRow, columns: readonly ColumnFacts[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return true;
  const first = filled[0] as string;
  const isSparse = filled.length <= Math.max(1, columns.length / 2);
  if (startsLikeTotal(first.trim()) && (isSparse || cells[0]?.trim() === '')) return true;
  // A note, such as `Exported on 1 April`, is one cell in rows of many.
  if (problem !== null && filled.length === 1 && columns.length > 2) return true;
  const rows = Math.max(0, ...columns.map((column) => column.filled));
  const usual = columns.filter((column) => rows > 0 && column.filled >= rows * USUALLY_FILLED);
  if (usual.length < 3 || columns.length < 3) return false;
  const missing = columns.filter(
    (column, index) => usual.includes(column) && (cells[index] ?? '').trim() === '',
  ).length;
  return filled.length === 1 && missing >= usual.length - 1;
}
