/** How an input calls the parts of a category row, for messages. */
import type { CategoryColumn } from '../../catalog/categories/category-columns.js';
import type { CategoryInput } from '../../catalog/categories/category-input.js';

export interface CategoryRowNames {
  /** What tells one category from another. */
  readonly key: string;
  /** Where the row says where its category is. */
  place(input: CategoryInput): string;
  readonly attributes: string;
  attribute(index: number): string;
}

const PATH: CategoryColumn = 'Category Path';
const ATTRIBUTES: CategoryColumn = 'Item Attributes';

export const FILE_NAMES: CategoryRowNames = {
  key: PATH,
  place: () => PATH,
  attributes: ATTRIBUTES,
  attribute: () => ATTRIBUTES,
};

export const JSON_NAMES: CategoryRowNames = {
  key: 'name',
  place: ({ place }) => ('parent' in place ? 'parentNodeId' : place.names.length > 1 ? 'parentNodeName' : 'name'),
  attributes: 'itemAttributes',
  attribute: (index) => `itemAttributes[${index}]`,
};
