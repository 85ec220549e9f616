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
/** What a sum may be: a number, perhaps with its currency or unit. An item has a code or a word somewhere. */
const SUM = /^(?:\p{Sc}|\p{Lu}{3})?\s*[-–]?\s*\d[\d.,'’\s]*[-–]{0,2}\s*(?:\p{Sc}|%|(?<=\s)\p{L}{1,4}\.?)?$/u;
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
    const first = cells.findIndex(isFilled);
    if (first === -1) return;
    const text = (cells[first] as string).trim();
    const others = cells.slice(first + 1);
    const isTotal = startsLikeTotal(text) && areSums(others.filter(isFilled), names.length);
    if (!isTotal && (others.some(isFilled) || CODE.test(text))) return;
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

/** Whether the other cells of a row that begins like a sum are few, and sums. */
function areSums(others: readonly string[], columns: number): boolean {
  const most = columns >= 2 * LEAST_COLUMNS ? Math.floor(columns / 2) : 1;
  return others.length <= most && others.every((cell) => SUM.test(cell.trim()));
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}
