/** The columns of category files: the template's header, and the meaning of an uploaded file's header. */

import { attributeKey } from '../../kernel/attribute-key.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { RejectedInput } from '../../kernel/rejected-input.js';
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
  const columns = cells.map(resolveColumn);
  columns.forEach((column, index) => {
    const first = column === null ? index : columns.indexOf(column);
    if (first === index) return;
    const message = `columns ${first + 1} and ${index + 1} are both "${column}": remove one of them`;
    throw new RejectedInput('DUPLICATE_COLUMN', message, { row: 1, column: String(column) });
  });
  if (columns.includes('Category Path')) return columns;
  const message = 'the file has no column "Category Path", which identifies the categories: add it';
  throw new RejectedInput('MISSING_COLUMN', message, { row: 1, column: 'Category Path' });
}

function resolveColumn(cell: string, index: number): CategoryColumn | null {
  const name = cell.trim();
  if (name.startsWith('_')) return null;
  const column = BY_KEY.get(attributeKey(name).replace(/\s+/g, ' '));
  if (column !== undefined) return column;
  if (name === '') {
    throw new RejectedInput('UNKNOWN_COLUMN', `column ${index + 1} has no name: name it, or remove it`, { row: 1 });
  }
  const nearest = nearestName(name, CATEGORY_COLUMNS, (known) => known);
  const hint = nearest === undefined ? 'begin its name with "_" to have it ignored' : `did you mean "${nearest}"?`;
  const message = `column ${index + 1}, ${quoted(name)}, is not a column of category files: ${hint}`;
  throw new RejectedInput('UNKNOWN_COLUMN', message, { row: 1, column: name });
}
