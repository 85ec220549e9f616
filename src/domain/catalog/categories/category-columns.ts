/** The columns of category files: the template's header, and the meaning of an uploaded file's header. */

import { HeaderProblems } from '../../formats/model/rejected-input.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { quoted } from '../../kernel/value-problem.js';

export const CATEGORY_COLUMNS = ['Category Path', 'Type', 'Order', 'Active', 'Item Attributes'] as const;
export type CategoryColumn = (typeof CATEGORY_COLUMNS)[number];

/** The columns of a file by position; null for a column that is ignored. */
export type CategoryColumns = readonly (CategoryColumn | null)[];

const BY_KEY: ReadonlyMap<string, CategoryColumn> = new Map(
  CATEGORY_COLUMNS.map((column) => [attributeKey(column), column]),
);

/**
 * Names are compared trimmed, in NFC and ignoring case. Columns that begin with `_` are ignored.
 * @throws RejectedInput for an unknown or repeated column, and when there is no `Category Path`
 */
export function resolveCategoryHeader(cells: readonly string[]): CategoryColumns {
  const problems = new HeaderProblems();
  const columns = cells.map((cell, index) => resolveColumn(cell, index, problems));
  columns.forEach((column, index) => {
    const first = column === null ? index : columns.indexOf(column);
    if (first === index) return;
    const message = `columns ${first + 1} and ${index + 1} are both "${column}": remove one of them`;
    problems.add('DUPLICATE_COLUMN', message, String(column));
  });
  if (!columns.includes('Category Path')) {
    const message = 'the file has no column "Category Path", which identifies the categories: add it';
    problems.add('MISSING_COLUMN', message, 'Category Path');
  }
  problems.throwIfAny();
  return columns;
}

function resolveColumn(cell: string, index: number, problems: HeaderProblems): CategoryColumn | null {
  const name = cell.trim();
  // A value in a column without a name fails its row.
  if (name === '' || name.startsWith('_')) return null;
  const column = BY_KEY.get(attributeKey(name).replace(/\s+/g, ' '));
  if (column !== undefined) return column;
  const nearest = nearestName(name, CATEGORY_COLUMNS, (known) => known);
  const hint = nearest === undefined ? 'begin its name with "_" to have it ignored' : `did you mean "${nearest}"?`;
  const message = `column ${index + 1}, ${quoted(name)}, is not a column of category files: ${hint}`;
  problems.add('UNKNOWN_COLUMN', message, name);
  return null;
}
