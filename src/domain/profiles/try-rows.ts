/** Shows what a profile makes of given rows: an import converts each cell in the same way. */

import { RejectedInput } from '../formats/model/rejected-input.js';
import type { WorkbookColumn } from '../formats/model/workbook-column.js';
import type { OpenTable, TableRow } from '../formats/table/table.js';
import { isMarked, problemOfMarked } from '../formats/xlsx/rows/marked-cell.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { columnCells } from './apply/column-cells.js';
import { RowGroups } from './apply/row-groups.js';
import { rowTest } from './apply/row-tests.js';
import { findColumns } from './apply/source-columns.js';
import { type ColumnRule, sourcesOf } from './model/column-rule.js';
import type { Profile } from './model/profile.js';

/** A row as it was read, with its number in the file. */
interface GivenRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** What each cell is, if cells have types: a number of a workbook is no text that a step would have to read. */
  readonly types: string | null;
}

interface GivenRows {
  readonly names: readonly string[];
  readonly headerRow: number;
  /** Whether the names are paths of JSON or XML. */
  readonly isNested: boolean;
  readonly rows: readonly GivenRow[];
}

interface TriedCell {
  /** What the file has, before any step. */
  readonly text: string;
  /** What it becomes; null: a step cannot convert it. */
  readonly value: string | null;
  /** What is wrong with it. */
  readonly problem: string | null;
}

interface TriedRow {
  readonly row: number;
  /** Whether the profile leaves the row out. */
  readonly isLeftOut: boolean;
  /** The row that it continues; null: it is one of its own. */
  readonly continues: number | null;
  /** In the order of the columns. */
  readonly cells: readonly TriedCell[];
}

export interface TriedProfile {
  /** The columns of ours that the profile fills. */
  readonly columns: readonly string[];
  readonly rows: readonly TriedRow[];
  /** Why a file with this header would be rejected. */
  readonly problems: readonly string[];
}

/** Values are shown as they are, whatever the column of the catalog would say to them. */
const SHOWN: WorkbookColumn = { kind: 'other', decimalSeparator: '.', writeDate: (day) => day };

export function tryRows(profile: Profile, given: GivenRows): TriedProfile {
  const { names, headerRow, isNested, rows } = given;
  const source: Pick<OpenTable, 'header' | 'names'> = { header: names, names };
  const problems: string[] = [];
  try {
    findColumns(profile, { ...source, row: headerRow, isNested });
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    problems.push(...error.message.split('\n'));
  }
  const known = new Map([...names].reverse().map((name) => [attributeKey(name), names.indexOf(name)]));
  const indexesOf = (rule: ColumnRule) => sourcesOf(rule).flatMap((name) => known.get(attributeKey(name)) ?? []);
  const rules = profile.columns.filter(({ to }) => to !== null);
  const columns = rules.map((rule) => {
    const at = indexesOf(rule);
    const isEmpty = at.length === 0 && rule.constant === undefined;
    const name = at.map((index) => names[index]).join(', ');
    return { ...columnCells(rule, { at, name: name === '' ? (rule.to ?? '') : name }, SHOWN), isEmpty };
  });
  const tests = profile.skipRowsWhen.flatMap((filter) => {
    const at = known.get(attributeKey(filter.column));
    return at === undefined ? [] : [rowTest(filter, at)];
  });
  const joined = joinedRows(profile, given, (name) => known.get(attributeKey(name)) ?? -1);
  const tried = rows.map(({ row, cells: own }): TriedRow => {
    const found = joined.get(row);
    const { cells, types, problem } = found ?? { cells: own, types: null, problem: null };
    const isOwn = found?.row === row;
    return {
      row,
      isLeftOut: tests.some(({ at, holds }) => holds(cells[at] ?? '')),
      continues: isOwn ? null : (found?.row ?? null),
      cells: columns.map(({ of, textOf, isEmpty, fillsEmpty }, index) => {
        if (!isOwn) return { text: textOf(own), ...NOTHING };
        if (problem !== null)
          return { text: textOf(cells), value: index === 0 ? null : '', problem: index === 0 ? problem.message : null };
        if (isEmpty) return { text: '', ...(fillsEmpty ? shown(of([], null)) : NOTHING) };
        return { text: textOf(cells), ...shown(of(cells, types)) };
      }),
    };
  });
  return { columns: rules.map(({ to }) => to ?? ''), rows: tried, problems };
}

/** For each row: itself, with the values of those that continue it; or the one that it continues. */
function joinedRows(
  { continuationRows }: Profile,
  { rows, isNested }: GivenRows,
  indexOf: (name: string) => number,
): Map<number, TableRow> {
  const own = rows.map((row): TableRow => ({ ...row, problem: null }));
  if (continuationRows === undefined || isNested) return new Map(own.map((row) => [row.row, row]));
  const groups = new RowGroups(continuationRows, indexOf);
  const joined = [...groups.join(own), ...groups.rest()];
  const byRow = new Map<number, TableRow>();
  let at = 0;
  for (const { row } of own) {
    if (joined[at + 1]?.row === row) at += 1;
    const found = joined[at];
    if (found !== undefined) byRow.set(row, found);
  }
  return byRow;
}

const NOTHING = { value: '', problem: null };

/** A cell of the copy that an import reads, as people read it. */
function shown(cell: string): Pick<TriedCell, 'value' | 'problem'> {
  const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  return isMarked(text)
    ? { value: null, problem: problemOfMarked(text, null).message }
    : { value: text, problem: null };
}
