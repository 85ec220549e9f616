/** Joins rows that continue the one above them: the values that a profile collects of them become one cell of it. */
import type { RowJoiner } from '../../formats/mapped/table-mapping.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { TableRow } from '../../formats/table/table.js';
import { isMarked } from '../../formats/xlsx/rows/marked-cell.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import { BETWEEN_VALUES, type ContinuationRows } from '../model/continued-rows.js';
import { rowTest } from './row-tests.js';

/** What the values that were collected for one row may hold: as much as a row. */
const MAX_CHARACTERS = DEFAULT_LIMITS.maxRowBytes;
/** A value costs something besides its text. */
const CHARACTERS_OF_A_VALUE = 64;

interface Collected {
  readonly text: string;
  readonly type: string;
  readonly position: number;
}

/** A row, and what is known of those that continue it. */
interface OpenRow {
  readonly row: TableRow;
  /** For each column that is collected: the values of all of its rows. */
  readonly values: readonly Collected[][];
  rows: number;
  characters: number;
  problem: RowProblem | null;
}

export class RowGroups implements RowJoiner {
  readonly #rule: ContinuationRows;
  readonly #holds: (cell: string) => boolean;
  readonly #when: number;
  /** -1: a row continues whatever stands above it. */
  readonly #same: number;
  readonly #collect: readonly { readonly at: number; readonly order: number }[];
  #open: OpenRow | null = null;

  /** @param indexOf the index of a column; -1: the file lacks it */
  constructor(rule: ContinuationRows, indexOf: (column: string) => number) {
    this.#rule = rule;
    this.#when = indexOf(rule.when.column);
    this.#holds = rowTest(rule.when, this.#when).holds;
    this.#same = rule.same === undefined ? -1 : indexOf(rule.same);
    this.#collect = rule.collect
      .map(({ column, orderBy }) => ({ at: indexOf(column), order: orderBy === undefined ? -1 : indexOf(orderBy) }))
      .filter(({ at }) => at >= 0);
  }

  join(rows: readonly TableRow[]): TableRow[] {
    const joined: TableRow[] = [];
    for (const row of rows) {
      if (!this.#isContinuing(row.cells)) {
        joined.push(...this.rest());
        this.#open = { row, values: this.#collect.map(() => []), rows: 0, characters: 0, problem: row.problem };
        this.#collectOf(row, this.#open);
      } else if (this.#open !== null && this.#isSame(this.#open.row.cells, row.cells)) {
        this.#collectOf(row, this.#open);
      } else {
        joined.push(...this.rest(), { ...row, problem: row.problem ?? this.#problemOf(row) });
      }
    }
    return joined;
  }

  rest(): TableRow[] {
    const open = this.#open;
    this.#open = null;
    return open === null ? [] : [open.rows === 1 ? open.row : this.#joined(open)];
  }

  continues(above: readonly string[], cells: readonly string[]): boolean {
    return this.#isContinuing(cells) && !this.#isContinuing(above) && this.#isSame(above, cells);
  }

  #isContinuing(cells: readonly string[]): boolean {
    return this.#holds(cells[this.#when] ?? '');
  }

  #isSame(above: readonly string[], cells: readonly string[]): boolean {
    if (this.#same < 0) return true;
    const text = textIn(cells, this.#same);
    return text !== '' && text === textIn(above, this.#same);
  }

  #collectOf({ row, cells, types, problem }: TableRow, open: OpenRow): void {
    open.rows += 1;
    if (problem !== null && row !== open.row.row) {
      const message = `row ${row}, which continues this row, cannot be read: ${problem.message}`;
      open.problem ??= { ...problem, message };
    }
    for (const [index, { at, order }] of this.#collect.entries()) {
      const text = (cells[at] ?? '').trim();
      if (text === '') continue;
      const given = order < 0 ? '' : textIn(cells, order);
      const position = given === '' ? Number.NaN : Number(given);
      open.values[index]?.push({
        text,
        type: types?.charAt(at) ?? 't',
        position: Number.isNaN(position) ? Number.POSITIVE_INFINITY : position,
      });
      open.characters += text.length + CHARACTERS_OF_A_VALUE;
    }
    if (open.characters <= MAX_CHARACTERS) return;
    const message = `Row ${open.row.row} and the rows to row ${row} that continue it hold more than ${MAX_CHARACTERS} characters. Divide them.`;
    throw new RejectedInput('ROW_TOO_LONG', message, { row });
  }

  #joined({ row, values, problem }: OpenRow): TableRow {
    const cells = [...row.cells];
    const types = row.types === null ? null : [...row.types];
    for (const [index, { at }] of this.#collect.entries()) {
      const sorted = inOrder(values[index] ?? []);
      // What a cell of a workbook cannot be read as is said of it, whatever stands beside it.
      const refused = sorted.find(({ text }) => isMarked(text));
      const [only = { text: '', type: 't' }, ...others] = refused === undefined ? sorted : [refused];
      cells[at] = [only, ...others].map(({ text }) => text).join(BETWEEN_VALUES);
      if (types !== null) types[at] = others.length === 0 ? only.type : 't';
    }
    return { ...row, cells, types: types?.join('') ?? null, problem };
  }

  #problemOf({ cells }: TableRow): RowProblem {
    const { when, same } = this.#rule;
    const how = when.is === 'empty' ? `has nothing in ${quoted(when.column)}` : `has such a ${quoted(when.column)}`;
    const value = same === undefined ? '' : textIn(cells, this.#same);
    const place =
      same === undefined
        ? 'there is none'
        : value === ''
          ? `its ${quoted(same)} is empty as well`
          : `the one directly above has another ${quoted(same)} than ${quoted(value)}`;
    const message = `the row ${how}, so that it continues a row above it, but ${place}: put the rows of one item directly below each other, the one with ${quoted(when.column)} first`;
    return { code: 'ROW_CONTINUES_NONE', column: same ?? when.column, message, ...(value === '' ? {} : { value }) };
  }
}

function textIn(cells: readonly string[], at: number): string {
  return (cells[at] ?? '').trim();
}

/** Values without a number come last, as they are in the file. */
function inOrder(values: readonly Collected[]): Collected[] {
  return [...values].sort((one, other) =>
    one.position === other.position ? 0 : one.position < other.position ? -1 : 1,
  );
}
