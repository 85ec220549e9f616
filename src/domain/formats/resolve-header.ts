/** Finds out what the columns of a file of definitions mean. */
import { attributeKey } from '../kernel/attribute-key.js';
import { nearestName } from '../kernel/nearest-name.js';
import { quoted } from '../kernel/value-problem.js';
import { HeaderProblems } from './model/rejected-input.js';

interface HeaderOf<Column extends string> {
  /** What the file holds: `attribute`. */
  readonly of: string;
  /** What the rows are identified by, and what these are called. */
  readonly key: Column;
  readonly identified: string;
  /** The names that may be meant by one that is misspelt. */
  readonly known: readonly Column[];
  /** @param key a name as attributeKey has it, with single spaces */
  columnOf(key: string): Column | undefined;
}

/**
 * Names are compared trimmed, in NFC and ignoring case. Columns that begin with `_` are ignored.
 * @returns the columns by position; null for one that is ignored
 * @throws RejectedInput for an unknown or repeated column, and when the key is missing
 */
export function resolveHeader<Column extends string>(
  cells: readonly string[],
  header: HeaderOf<Column>,
): readonly (Column | null)[] {
  const problems = new HeaderProblems();
  const columns = cells.map((cell, index) => resolveColumn(cell, index, header, problems));
  columns.forEach((column, index) => {
    const first = column === null ? index : columns.indexOf(column);
    if (first === index) return;
    const message = `columns ${first + 1} and ${index + 1} are both "${column}": remove one of them`;
    problems.add('DUPLICATE_COLUMN', message, String(column));
  });
  if (!columns.includes(header.key)) {
    const message = `the file has no column "${header.key}", which identifies the ${header.identified}: add it`;
    problems.add('MISSING_COLUMN', message, header.key);
  }
  problems.throwIfAny();
  return columns;
}

function resolveColumn<Column extends string>(
  cell: string,
  index: number,
  { of, known, columnOf }: HeaderOf<Column>,
  problems: HeaderProblems,
): Column | null {
  const name = cell.trim();
  // A value in a column without a name fails its row.
  if (name === '' || name.startsWith('_')) return null;
  const column = columnOf(attributeKey(name).replace(/\s+/g, ' '));
  if (column !== undefined) return column;
  const nearest = nearestName(name, known, (one) => one);
  const hint = nearest === undefined ? 'begin its name with "_" to have it ignored' : `did you mean "${nearest}"?`;
  const message = `column ${index + 1}, ${quoted(name)}, is not a column of ${of} files: ${hint}`;
  problems.add('UNKNOWN_COLUMN', message, name);
  return null;
}
