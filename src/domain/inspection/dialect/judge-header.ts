/** Judges which row names the columns. */
import { quoted } from '../columns/sentences.js';
import { type Answer, certain, likely } from '../model/answer.js';
import { type CellKind, CellKinds } from './cell-likeness.js';
import { continuesGroup, namesGroups, needsBothRows } from './header-groups.js';
import { knownHeaderWords } from './header-words.js';
import type { SampleRow } from './parse-sample.js';

/** The header is among the first rows. */
const MAX_HEADER_ROWS = 40;
/** A row with fewer of its cells filled is a title. */
const LEAST_FILLED = 0.6;
/** So many cells of a column must be of one kind, for the column to say what a row is. */
const LEAST_STEADY = 0.7;
/** A header has names; few of them, such as 2024 or 12 V, are like values. */
const MOST_VALUES = 0.25;

/** So many rows above the first row of values may be meant as the header. */
const MOST_ABOVE = 3;

interface Body {
  readonly width: number;
  /** The kind of each column; null: it says nothing. */
  readonly kinds: readonly (CellKind | null)[];
}

/** @param rows the first rows of the file @param areAll whether it has no others */
export function judgeHeader(rows: readonly SampleRow[], areAll: boolean): Answer<number> {
  const found = headerAmong(rows);
  return areAll ? found : { ...found, reason: `${found.reason} Judged by the first ${rows.length} rows.` };
}

function headerAmong(rows: readonly SampleRow[]): Answer<number> {
  const [first] = rows;
  if (first === undefined) return likely<number>(null, 'The file has no rows.');
  if (rows.length === 1) return likely(first.row, `Row ${first.row} is the only row of the file.`);
  const body = bodyOf(rows);
  const region = rows.slice(0, MAX_HEADER_ROWS);
  const data = region.findIndex((row) => dataShare(row, body) >= 0.5);
  const isTyped = body.kinds.some((kind) => kind !== null);
  if (!isTyped || data < 0) return amongTexts(region, body);
  const before = region.slice(0, data).filter((row) => isFull(row, body));
  const grouped = groupedNames(region.slice(0, data), body);
  if (grouped !== undefined) {
    const { groups, names } = grouped;
    const reason = `Row ${names.row} has a name for each column: ${shownCells(names)}. Row ${groups.row} names the groups of these columns: ${shownCells(groups)}.`;
    const [first] = before;
    return first === undefined || first === groups
      ? certain(names.row, reason)
      : likely(names.row, reason, [first.row]);
  }
  const header = lastOfNames(before, body);
  if (header === undefined) return withoutHeader(region[data] as SampleRow, region, body);
  const [rival] = before;
  const names = `Row ${header.row} has names where the rows below have values: ${shownCells(header)}.`;
  const below = region[region.indexOf(header) + 1];
  if (below !== undefined && namesParts(header, below, body)) {
    const reason = `${names} Row ${below.row} names parts of some of them, and is read as a row of data: ${shownCells(below)}.`;
    return likely(header.row, reason, [...(rival === undefined || rival === header ? [] : [rival.row]), below.row]);
  }
  const reason = names;
  return rival === undefined || rival === header
    ? certain(header.row, reason)
    : likely(header.row, reason, [rival.row]);
}

/**
 * Whether the row above the header belongs to it, because only both name each column differently.
 * @param found the row of the header
 */
export function judgeGroups(rows: readonly SampleRow[], found: Answer<number>): JudgedGroups {
  const at = rows.findIndex(({ row }) => row === found.value);
  const header = rows[at];
  const upper = rows[at - 1];
  const single = { headerRow: found, headerRows: 1 };
  if (header === undefined || upper === undefined || upper.row !== header.row - 1) return single;
  const kindOf = new CellKinds();
  const hasValue = upper.cells.some((cell) => ['number', 'date', 'url'].includes(kindOf.of(cell)));
  if (hasValue || !needsBothRows(upper.cells, header.cells)) return single;
  const rivals = found.rivals.filter((row) => row !== upper.row);
  const both = `Only with row ${upper.row}, which names their groups, does each have a name of its own: ${shownCells(upper)}.`;
  const reason = `${found.reason} ${both}`;
  const isCertain = found.verdict === 'certain' || (found.rivals.length > 0 && rivals.length === 0);
  return { headerRow: isCertain ? certain(header.row, reason) : { ...found, rivals, reason }, headerRows: 2 };
}

export interface JudgedGroups {
  readonly headerRow: Answer<number>;
  /** 2: the row above the header names groups. */
  readonly headerRows: number;
}

/** The width of the table, and what its columns are, by all rows but the first few. */
function bodyOf(rows: readonly SampleRow[]): Body {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [[width] = [1]] = [...counts].sort(([a, m], [b, n]) => n - m || b - a);
  const usual = rows.filter(({ cells }) => cells.length === width);
  const below = usual.slice(Math.min(5, Math.floor(usual.length / 2)));
  const kinds = new CellKinds();
  const columns = Array.from({ length: width }, (_, column): CellKind | null => {
    const found = new Map<CellKind, number>();
    for (const { cells } of below) {
      const kind = kinds.of(cells[column] ?? '');
      if (kind !== 'empty') found.set(kind, (found.get(kind) ?? 0) + 1);
    }
    const filled = [...found.values()].reduce((sum, count) => sum + count, 0);
    const [best] = [...found].sort(([, a], [, b]) => b - a);
    return best === undefined || best[0] === 'text' || best[1] < filled * LEAST_STEADY ? null : best[0];
  });
  return { width, kinds: columns };
}

/** Of the columns with a kind, the share in which a row has a cell of this kind. */
function dataShare({ cells }: SampleRow, { kinds, width }: Body): number {
  if (cells.length < width * LEAST_FILLED) return 0;
  const kindOf = new CellKinds();
  let typed = 0;
  let fits = 0;
  for (const [column, kind] of kinds.entries()) {
    const own = kindOf.of(cells[column] ?? '');
    if (kind === null || own === 'empty') continue;
    typed += 1;
    if (own === kind) fits += 1;
  }
  return typed === 0 ? 0 : fits / typed;
}

/**
 * The last row with names alone; a row of data that lacks a delimiter, so that its cells are shifted, has values. A first
 * row of data may have nothing in the columns that say what rows are: then the words of a header decide.
 */
function lastOfNames(rows: readonly SampleRow[], { width }: Body): SampleRow | undefined {
  const kindOf = new CellKinds();
  const isNames = ({ cells }: SampleRow) => {
    const values = cells.filter((cell) => ['number', 'date', 'url'].includes(kindOf.of(cell))).length;
    return values <= width * MOST_VALUES;
  };
  const named = rows.filter((row) => row.cells.length === width && isNames(row));
  const known = named.findLast(({ cells }) => knownHeaderWords(cells) > 0);
  return known ?? named.at(-1) ?? rows.findLast(isNames) ?? rows.at(-1);
}

/** The two rows directly above the rows of values, if one names the columns and the other their groups. */
function groupedNames(
  above: readonly SampleRow[],
  body: Body,
): { readonly groups: SampleRow; readonly names: SampleRow } | undefined {
  const [groups, names] = above.slice(-2);
  if (groups === undefined || names === undefined || names.row !== groups.row + 1) return undefined;
  if (names.cells.length !== body.width || !namesGroups(groups.cells, names.cells)) return undefined;
  const kindOf = new CellKinds();
  const areNames = [groups, names].every(({ cells }) =>
    cells.every((cell) => !['number', 'date', 'url'].includes(kindOf.of(cell))),
  );
  return areNames ? { groups, names } : undefined;
}

/**
 * Whether a row below the header names the columns of its groups (`Prices` above `net` and `gross`): it is empty but for columns
 * that the header leaves empty or names as those before them, and those in front of them, and has names where the rows below have values.
 */
function namesParts(header: SampleRow, below: SampleRow, { kinds }: Body): boolean {
  const kindOf = new CellKinds();
  let typed = 0;
  let unnamed = 0;
  for (const [column, cell] of below.cells.entries()) {
    const own = kindOf.of(cell);
    if (own === 'empty') continue;
    const isUnnamed = continuesGroup(header.cells, column);
    const isGroup = column + 1 < header.cells.length && continuesGroup(header.cells, column + 1);
    if ((!isUnnamed && !isGroup) || ['number', 'date', 'url'].includes(own)) return false;
    if (isUnnamed) unnamed += 1;
    const kind = kinds[column] ?? null;
    if (kind !== null && kind !== own) typed += 1;
  }
  return unnamed > 0 && typed > 0;
}

function isFull({ cells }: SampleRow, { width }: Body): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '').length;
  return filled >= Math.max(1, width * LEAST_FILLED);
}

/** All columns are texts: the first full row is the header, if its words name columns or do not occur below. */
function amongTexts(region: readonly SampleRow[], body: Body): Answer<number> {
  const header = region.find((row) => isFull(row, body)) ?? (region[0] as SampleRow);
  const below = region.slice(region.indexOf(header) + 1);
  const known = knownHeaderWords(header.cells);
  const reason = `Row ${header.row} is the first row in which nearly all columns have a text: ${shownCells(header)}.`;
  if (known > 0) return certain(header.row, reason);
  const repeated = header.cells.some(
    (cell, column) => cell !== '' && below.some(({ cells }) => cells[column] === cell),
  );
  if (repeated)
    return likely<number>(null, `Row ${header.row} has values that occur again below: ${shownCells(header)}.`, [
      header.row,
    ]);
  return likely(header.row, reason);
}

function withoutHeader(data: SampleRow, region: readonly SampleRow[], body: Body): Answer<number> {
  const short = region.slice(0, region.indexOf(data)).at(-1);
  const reason = `Row ${data.row} has values already: ${shownCells(data)}.`;
  // A header with blank names.
  const names = short?.cells.filter((cell) => cell.trim() !== '').length ?? 0;
  if (short !== undefined && short.cells.length === body.width && names >= Math.max(2, body.width / 3)) {
    return likely(short.row, `Row ${short.row} has names above values: ${shownCells(short)}.`);
  }
  if (knownHeaderWords(data.cells) > body.width / 2) return likely(data.row, reason);
  const blank = short !== undefined && names === 0 ? ` Row ${short.row} holds nothing but blanks.` : '';
  const above = region.slice(0, region.indexOf(data)).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const rivals = [data.row, ...above.map(({ row }) => row).slice(-MOST_ABOVE)];
  return likely<number>(null, `${reason}${blank} No row names the columns.`, rivals);
}

function shownCells({ cells }: SampleRow): string {
  return cells
    .filter((cell) => cell.trim() !== '')
    .slice(0, 3)
    .map(quoted)
    .join(', ');
}
