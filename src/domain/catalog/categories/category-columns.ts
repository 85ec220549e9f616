/** The columns of category files: the template's header, and the meaning of an uploaded file's header. */
import { resolveHeader } from '../../formats/resolve-header.js';
import { attributeKey } from '../../kernel/attribute-key.js';

export const CATEGORY_COLUMNS = ['Category Path', 'Type', 'Order', 'Active', 'Item Attributes'] as const;
export type CategoryColumn = (typeof CATEGORY_COLUMNS)[number];

/** The columns of a file by position; null for a column that is ignored. */
export type CategoryColumns = readonly (CategoryColumn | null)[];

const BY_KEY: ReadonlyMap<string, CategoryColumn> = new Map(
  CATEGORY_COLUMNS.map((column) => [attributeKey(column), column]),
);

/** @throws RejectedInput for an unknown or repeated column, and when there is no `Category Path` */
export function resolveCategoryHeader(cells: readonly string[]): CategoryColumns {
  return resolveHeader(cells, {
    of: 'category',
    key: 'Category Path',
    identified: 'categories',
    known: CATEGORY_COLUMNS,
    columnOf: (key) => BY_KEY.get(key),
  });
}
