/** Names columns by two rows: the upper one names groups of columns, and the lower one the columns of each group. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { isAddedColumn } from '../model/added-columns.js';
import type { MergedCells } from '../xlsx/cell.js';
import type { TableHead } from './table.js';

const BETWEEN = ' – ';

/**
 * For each column the name of its group; empty: it has none. Merged cells say where a group ends. Without any, an empty cell
 * belongs to the group on its left, as in CSV, where the other cells of merged ones are empty.
 */
export function groupsOf(
  upper: readonly string[],
  lower: readonly string[],
  merged: readonly MergedCells[] = [],
): string[] {
  let open = '';
  return lower.map((cell, column) => {
    const name = cell.trim();
    const above = (upper[column] ?? '').trim();
    // What an error file has added is in no group.
    if (isAddedColumn(name)) open = '';
    else if (merged.length > 0) {
      const area = merged.find(({ from, to }) => from <= column && column <= to);
      return area === undefined ? above : (upper[area.from] ?? '').trim();
    } else if (above !== '') {
      // What names a single column alone, as its own name or in place of one, begins no group.
      open = name === '' || isSame(above, name) ? '' : above;
      return above;
    } else if (name === '') open = '';
    return open;
  });
}

/** What both rows say of a column: `Price – net`; the only name that it has, or the same name in both, stands alone. */
function groupedName(group: string, name: string): string {
  if (group === '' || isSame(group, name)) return name;
  return name === '' ? group : `${group}${BETWEEN}${name}`;
}

/** The name of a column without that of its group; null: it has none. */
export function nameInGroup(name: string): string | null {
  const at = name.lastIndexOf(BETWEEN);
  return at < 0 ? null : name.slice(at + BETWEEN.length);
}

/** What the header says of each column, not yet different from the others: see OpenTable. */
export function writtenNames({ header, groups }: Pick<TableHead, 'header' | 'groups'>): readonly string[] {
  if (groups === undefined) return header;
  return header.map((cell, column) => groupedName(groups[column] ?? '', cell.trim()));
}

/**
 * The upper row that says the same without merged cells: each column has the name of its group, and one without a group its
 * own name.
 */
export function unmergedGroups({ header, groups = [] }: Pick<TableHead, 'header' | 'groups'>): readonly string[] {
  return header.map((cell, column) =>
    groups[column] === '' && !isAddedColumn(cell) ? cell.trim() : (groups[column] ?? ''),
  );
}

function isSame(one: string, other: string): boolean {
  return attributeKey(one) === attributeKey(other);
}
