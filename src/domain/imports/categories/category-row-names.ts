/** The names of a category row's columns or fields, for messages. */
import type { CategoryColumn } from '../../catalog/categories/category-columns.js';

export interface CategoryRowNames {
  /** What identifies a category. */
  readonly key: string;
  /** Where a row names its parent by an id. */
  readonly parentReference: string;
  /** Where a row names its parent by its path. @param depth of the row's category, below the root */
  parentPath(depth: number): string;
  readonly attributes: string;
  attribute(index: number): string;
}

const PATH: CategoryColumn = 'Category Path';
const ATTRIBUTES: CategoryColumn = 'Item Attributes';

export const FILE_NAMES: CategoryRowNames = {
  key: PATH,
  parentReference: PATH,
  parentPath: () => PATH,
  attributes: ATTRIBUTES,
  attribute: () => ATTRIBUTES,
};

export const JSON_NAMES: CategoryRowNames = {
  key: 'name',
  parentReference: 'parentNodeId',
  parentPath: (depth) => (depth > 1 ? 'parentNodeName' : 'name'),
  attributes: 'itemAttributes',
  attribute: (index) => `itemAttributes[${index}]`,
};
