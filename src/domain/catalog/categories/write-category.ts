/** Writes a category as a row of a category file, or as an element of a bulk request. */
import type { CategoryTree } from '../../../../db/models/category.js';
import { cellOfText } from '../types/cell-text.js';
import { formatPath } from './category-path.js';
import { type CellAssignment, itemAttributesToText } from './item-attributes-cell.js';

/** All that an import can set of a category. */
export interface WrittenCategory {
  /** The names from the root of its tree down: `['PRIMARY', 'Storage', 'Disk']`. */
  readonly lineage: readonly string[];
  readonly tree: CategoryTree;
  readonly order: number;
  readonly active: boolean;
  /** The attributes that the category assigns itself, in order. */
  readonly attributes: readonly CellAssignment[];
}

/** The cells in the order of CATEGORY_COLUMNS. An upsert with them changes nothing. */
export function categoryToCells({ lineage, tree, order, active, attributes }: WrittenCategory): string[] {
  // `NULL` removes all attributes; an empty cell would leave them as they are.
  const assigned = attributes.length === 0 ? 'NULL' : cellOfText(itemAttributesToText(attributes));
  return [formatPath(lineage), tree, String(order), active ? 'TRUE' : 'FALSE', tree === 'PRIMARY' ? assigned : ''];
}

/** The category as an element of …/category/bulk/upsert and of JSON files. */
export function categoryToElement({ lineage, tree, order, active, attributes }: WrittenCategory): object {
  const element = { path: formatPath(lineage), type: tree, order, active };
  return tree === 'PRIMARY' ? { ...element, itemAttributes: attributes } : element;
}
