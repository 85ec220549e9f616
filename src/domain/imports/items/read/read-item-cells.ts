/** Reads a row of a file into an item draft. */
import { parseAlternateCategories } from '../../../catalog/categories/alternate-categories-cell.js';
import type { CsvRow } from '../../../formats/csv/parse-csv-chunk.js';
import { hashSeed, sourceHash } from '../../../formats/model/source-hash.js';
import { isMarked, problemOfMarked, shownText } from '../../../formats/xlsx/rows/marked-cell.js';
import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { componentsFromCell, isProblems, wrong } from './bundle-components.js';
import type { DraftBuilder } from './draft-builder.js';
import { type DraftOutcome, NOT_HASHED } from './draft-outcome.js';
import type { ItemColumn, ItemColumns } from './item-columns.js';

/** The cell that clears a value. The text NULL is written `\NULL`; a leading backslash is doubled. */
const NULL_CELL = 'NULL';

/** Creates a reader for the rows of one file. Empty cells and absent columns leave values unchanged. */
export function itemCellReader(
  builder: DraftBuilder,
  { columns }: ItemColumns,
  seed: number,
): (row: CsvRow) => DraftOutcome {
  const rowSeed = cellSeed({ columns }, seed);
  const keyColumn = columns.findIndex((column) => column.kind === 'sku');
  const filled = builder.notes.watch(watchedNames(columns));
  return (row) => {
    const { cells, quoted } = row;
    for (let index = 0; index < columns.length; index++) if (cells[index]) filled[index] = 1;
    if (row.problem !== null) return failed(row, row.problem, keyColumn);
    builder.reset();
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as ItemColumn;
      const cell = cells[index] as string;
      if (cell === '' && column.kind !== 'sku') continue;
      readCell(builder, column, cell, quoted?.[index] === 0);
    }
    return builder.finish(row.row, builder.hasFailed ? NOT_HASHED : sourceHash(cells, rowSeed));
  };
}

/** The names of the columns that should have values. Each export and each template has one for parents, which few items have. */
function watchedNames(columns: readonly ItemColumn[]): (string | null)[] {
  return columns.map(({ kind, name }) => (kind === 'ignored' || kind === 'parent' ? null : name));
}

/** Adds to `seed` what the header contributes to the outcome of its rows. */
export function cellSeed({ columns }: Pick<ItemColumns, 'columns'>, seed: number): number {
  return hashSeed(seed, ...columns.map((column) => `${column.kind} ${column.name}`));
}

function failed(row: CsvRow, problem: RowProblem, keyColumn: number): DraftOutcome {
  return { draft: null, problems: [problem], key: shownText(row.cells[keyColumn] ?? '').trim() || null, rest: null };
}

/**
 * Reads one cell, which is not empty unless it is the SKU's.
 * @param isTyped whether it is a number or a date of a workbook, which has one meaning
 */
export function readCell(builder: DraftBuilder, column: ItemColumn, cell: string, isTyped: boolean): void {
  if (isMarked(cell) && column.kind !== 'ignored')
    return failMarked(builder, column, problemOfMarked(cell, column.name));
  switch (column.kind) {
    case 'attribute':
      return readAttribute(builder, column, cell, isTyped);
    case 'sku':
      // A key cannot be cleared, so that its cell has no escapes: the plan step compares keys as they are written.
      return builder.sku(cell, column.name);
    case 'category':
      return builder.category(cell, column.name);
    case 'parent':
      return builder.parent(cell === NULL_CELL ? null : unescaped(cell), column.name);
    case 'items':
      return readItems(builder, column.name, cell);
    case 'alternates':
      return builder.alternates(cell === NULL_CELL ? [] : parseAlternateCategories(unescaped(cell)), column.name);
    case 'channels':
      return readChannels(builder, column.name, cell);
    case 'ignored':
      return;
  }
}

function failMarked(builder: DraftBuilder, column: ItemColumn, problem: RowProblem): void {
  if (column.kind === 'attribute') builder.failValue(column.position, problem);
  else builder.fail(problem, column.kind === 'category' ? 'place' : column.kind === 'parent' ? 'values' : undefined);
}

/** `1;4`; `NULL` makes the item belong to all channels. */
function readChannels(builder: DraftBuilder, column: string, cell: string): void {
  if (cell === NULL_CELL) return builder.channels(null, column);
  const entries = cell.split(';').map((entry) => entry.trim());
  const unread = entries.find((entry) => !/^\d{1,10}$/.test(entry));
  if (unread === undefined) return builder.channels(entries.map(Number), column);
  const message = `"${storable(unread, 60)}" is no channel: write the numbers of the channels with ";" between, such as "1;4", or NULL for all channels`;
  builder.fail(wrong('VALUE_TYPE', column, message, cell));
}

/** This cell has its own escapes for backslashes, and `NULL:1` is an item whose SKU is NULL. */
function readItems(builder: DraftBuilder, name: string, cell: string): void {
  const read = cell.trim() === NULL_CELL ? [] : componentsFromCell(cell, name);
  if (isProblems(read)) for (const problem of read) builder.fail(problem);
  else builder.components(read);
}

function readAttribute(
  builder: DraftBuilder,
  { position, name }: Extract<ItemColumn, { kind: 'attribute' }>,
  cell: string,
  isTyped: boolean,
): void {
  if (cell === NULL_CELL) return builder.clear(position);
  const text = unescaped(cell);
  const value = builder.rules.attribute(position).fromText(text);
  if (typeof value === 'string') builder.setFromText(position, name, text, value, isTyped);
  else builder.failFromText(position, name, text, value, isTyped);
}

/** Removes the escape: `\NULL` is the text NULL, and `\\x` the text `\x`. */
function unescaped(cell: string): string {
  if (cell.charCodeAt(0) !== 92) return cell;
  return cell.startsWith('\\\\') || cell === `\\${NULL_CELL}` ? cell.slice(1) : cell;
}
