/**
 * Finds rows among those of a table that describe nothing: titles of sections, notes and subtotals, as people write them
 * between rows, and the header once more, as programs write it on every page.
 */
import type { TableRow } from '../formats/table/table.js';
import { cut } from './cells/signature.js';
import type { ColumnFacts } from './columns/column-facts.js';
import type { ApartRows } from './model/inspection.js';
import { startsLikeTotal } from './total-rows.js';

/** In narrower tables, rows of one cell are no rarity. */
const LEAST_COLUMNS = 4;
/** So many columns have a value in all other rows, and none in these. */
const LEAST_ALWAYS_FILLED = 2;
/** More of them are rows of another kind, such as those of variants. */
const MOST_SHARE = 0.34;
const MOST_EXAMPLES = 5;
/** A code, rather than the title of a section. */
const CODE = /^\S*\d\S*$/;
const MAX_EXAMPLE = 100;

export class ApartRowsFinder {
  #count = 0;
  readonly #examples: { row: number; value: string }[] = [];
  /** By column: how many of the rows have a value there. */
  readonly #filled: Uint32Array;
  #headers: { row: number; count: number } | null = null;

  /** @param names of the columns, as the header has them */
  constructor(readonly names: readonly string[]) {
    this.#filled = new Uint32Array(names.length);
  }

  add({ row, cells }: TableRow): void {
    const { names } = this;
    if (names.length < 2) return;
    if (cells[0] === names[0] && cells.every((cell, index) => cell.trim() === (names[index] ?? '').trim())) {
      this.#headers = { row: this.#headers?.row ?? row, count: (this.#headers?.count ?? 0) + 1 };
      return;
    }
    if (names.length < LEAST_COLUMNS) return;
    const [first, second, third] = filledCells(cells, names.length);
    if (first === undefined) return;
    const text = (cells[first] as string).trim();
    const isTotal = startsLikeTotal(text) && (third === undefined || names.length >= 2 * LEAST_COLUMNS);
    if (!isTotal && (second !== undefined || CODE.test(text))) return;
    this.#count += 1;
    if (this.#examples.length < MOST_EXAMPLES) this.#examples.push({ row, value: cut(text, MAX_EXAMPLE) });
    for (const [index, cell] of cells.entries()) {
      if (cell.trim() !== '') this.#filled[index] = (this.#filled[index] as number) + 1;
    }
  }

  /** @param rows of the file that can be read. @returns null when there are none, or no column tells them from the others */
  found(columns: readonly ColumnFacts[], rows: number): ApartRows | null {
    const others = rows - this.#count;
    const empty = columns.flatMap(({ filled }, index) =>
      this.#filled[index] === 0 && filled === others ? [index] : [],
    );
    const isFound = this.#count > 0 && this.#count <= rows * MOST_SHARE && empty.length >= LEAST_ALWAYS_FILLED;
    if (!isFound && this.#headers === null) return null;
    return {
      count: isFound ? this.#count : 0,
      examples: isFound ? this.#examples : [],
      emptyColumns: isFound ? empty : [],
      headers: this.#headers,
    };
  }
}

/** The first three columns with a value: more are not needed. */
function filledCells(cells: readonly string[], columns: number): number[] {
  const found: number[] = [];
  for (let index = 0; index < columns && found.length < 3; index += 1) {
    if ((cells[index] ?? '').trim() !== '') found.push(index);
  }
  return found;
}
