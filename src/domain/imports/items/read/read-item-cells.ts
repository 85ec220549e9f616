/** Reads a row of a file into an item draft. */

import type { CsvRow } from '../../../formats/csv/parse-csv-chunk.js';
import { isMarked, problemOfMarked, shownText } from '../../../formats/xlsx/rows/marked-cell.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { hashSeed, sourceHash } from '../../../kernel/source-hash.js';
import type { DraftBuilder, DraftOutcome } from './draft-builder.js';
import type { ItemColumn, ItemColumns } from './item-columns.js';
import { componentsFromCell, isProblems } from './read-components.js';

/** The cell that clears a value. The text NULL is written `\NULL`; a leading backslash is doubled. */
const NULL_CELL = 'NULL';

/** A reader for the rows of one file. Empty cells and absent columns leave values alone. */
export function itemCellReader(
  builder: DraftBuilder,
  { columns }: ItemColumns,
  seed: number,
): (row: CsvRow) => DraftOutcome {
  const rowSeed = cellSeed({ columns }, seed);
  const keyColumn = columns.findIndex((column) => column.kind === 'sku');
  return (row) => {
    if (row.problem !== null) return failed(row, row.problem, keyColumn);
    builder.reset();
    const { cells } = row;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as ItemColumn;
      const cell = cells[index] as string;
      if (cell === '' && column.kind !== 'sku') continue;
      readCell(builder, column, cell);
    }
    return builder.finish(row.row, sourceHash(cells, rowSeed));
  };
}

/** What of the header decides the outcome of its rows, besides `seed`. */
export function cellSeed({ columns }: Pick<ItemColumns, 'columns'>, seed: number): number {
  return hashSeed(seed, ...columns.map((column) => `${column.kind} ${column.name}`));
}

function failed(row: CsvRow, problem: RowProblem, keyColumn: number): DraftOutcome {
  return { draft: null, problems: [problem], key: shownText(row.cells[keyColumn] ?? '').trim() || null };
}

/** Reads one cell that is not empty, or the SKU's. */
export function readCell(builder: DraftBuilder, column: ItemColumn, cell: string): void {
  if (isMarked(cell) && column.kind !== 'ignored') return builder.fail(problemOfMarked(cell, column.name));
  switch (column.kind) {
    case 'attribute':
      return readAttribute(builder, column.position, column.name, cell);
    case 'sku':
      // A key cannot be cleared, so nothing in its cell is escaped: PLAN compares keys as they are written.
      return builder.sku(cell, column.name);
    case 'category':
      return builder.category(cell, column.name);
    case 'parent':
      return builder.parent(cell === NULL_CELL ? null : unescaped(cell), column.name);
    case 'items':
      return readItems(builder, column.name, cell);
    case 'ignored':
      return;
  }
}

/** A backslash in the cell is one of its own escapes: `NULL:1` is an item called NULL. */
function readItems(builder: DraftBuilder, name: string, cell: string): void {
  const read = cell.trim() === NULL_CELL ? [] : componentsFromCell(cell, name);
  if (isProblems(read)) for (const problem of read) builder.fail(problem);
  else builder.components(read);
}

function readAttribute(builder: DraftBuilder, position: number, name: string, cell: string): void {
  if (cell === NULL_CELL) return builder.clear(position);
  const value = builder.rules.attribute(position).fromText(unescaped(cell));
  if (typeof value === 'string') builder.set(position, value);
  else builder.fail(value.at(name));
}

/** `\NULL` is the text NULL, `\\x` the text `\x`. */
function unescaped(cell: string): string {
  if (cell.charCodeAt(0) !== 92) return cell;
  return cell.startsWith('\\\\') || cell === `\\${NULL_CELL}` ? cell.slice(1) : cell;
}
