/** Tells whether a row above the names of columns names their groups: `Price | Price | Stock` above `net | gross | Stock`. */
import { groupsOf, writtenNames } from '../../formats/table/header-groups.js';

/**
 * Whether the upper row has names of groups and the lower one a name for each column: each name above stands over two columns or
 * more, or the column has the same name in both; and both together are different for each column.
 */
export function namesGroups(upper: readonly string[], lower: readonly string[]): boolean {
  if (upper.length !== lower.length || lower.some((cell) => cell.trim() === '')) return false;
  const pairs = new Set<string>();
  const ended = new Set<string>();
  let groups = 0;
  for (const [column, cell] of upper.entries()) {
    const name = keyOf(cell);
    pairs.add(`${name}\n${keyOf(lower[column] ?? '')}`);
    if (name === '') continue;
    if (isInGroup(upper, column)) {
      if (name === keyOf(upper[column - 1] ?? '')) continue;
      groups += 1;
    } else if (name !== keyOf(lower[column] ?? '')) return false;
    // The columns of a group stand beside each other.
    if (ended.has(name)) return false;
    ended.add(name);
  }
  return groups > 0 && pairs.size === upper.length;
}

/** Whether the column beside one has the same name. */
function isInGroup(cells: readonly string[], column: number): boolean {
  const name = keyOf(cells[column] ?? '');
  return name !== '' && [column - 1, column + 1].some((beside) => keyOf(cells[beside] ?? '') === name);
}

/**
 * Whether the columns need the names of both rows: the lower one alone has a name twice, or none for a column, and both
 * together have another one for each.
 */
export function needsBothRows(upper: readonly string[], lower: readonly string[]): boolean {
  if (upper.length !== lower.length || areDifferent(lower)) return false;
  const groups = groupsOf(upper, lower);
  const isGroup = groups.some((group, column) => group !== '' && group === groups[column + 1]);
  return isGroup && areDifferent(writtenNames({ header: lower, groups }));
}

/** Whether there is a name for each column, and another one. */
function areDifferent(names: readonly string[]): boolean {
  return new Set(names.map(keyOf)).size === names.length && names.every((name) => keyOf(name) !== '');
}

/** Whether a column is one of a group behind its first: it has no name of its own, or that of the column before it. */
export function continuesGroup(cells: readonly string[], column: number): boolean {
  const name = keyOf(cells[column] ?? '');
  return name === '' || (column > 0 && name === keyOf(cells[column - 1] ?? ''));
}

function keyOf(cell: string): string {
  return cell.trim().toLowerCase();
}
