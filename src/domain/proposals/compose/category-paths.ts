/** The categories that the values of a column name. */
import { formatPath } from '../../catalog/categories/category-path.js';
import { placedCategories, placeKey } from '../../catalog/categories/category-places.js';
import { placeOfPath } from '../../catalog/categories/place-of-path.js';
import type { DefinitionCategory, SiteDefinitions } from '../../catalog/site-definitions.js';
import { valueConverter } from '../../profiles/convert-values.js';
import type { ColumnRule } from '../../profiles/model/column-rule.js';

export interface CategoryPath {
  /** As files write it, without the root. */
  readonly path: string;
  readonly names: readonly string[];
  /** Undefined: the catalog lacks it. */
  readonly category: DefinitionCategory | undefined;
}

export interface CategoryPaths {
  /** In the order in which they occur first. */
  readonly paths: readonly CategoryPath[];
  /** Values that name no category. */
  readonly wrong: readonly string[];
  /** Paths above others of the file, or of the catalog: items cannot be there. */
  readonly inner: readonly string[];
}

/** @param rule of the column, decided */
export function categoryPaths(
  values: readonly string[],
  { steps, split }: Pick<ColumnRule, 'steps' | 'split'>,
  places: ReadonlyMap<string, DefinitionCategory>,
): CategoryPaths {
  const convert = valueConverter(steps);
  const found = new Map<string, CategoryPath>();
  const wrong: string[] = [];
  for (const value of values) {
    const [text] = convert(partOf(value, split)) ?? [];
    const place = text === undefined ? null : placeOfPath(text, 'PRIMARY', 'path');
    if (place === null || 'code' in place || place.names.length === 0) wrong.push(value);
    else {
      const key = placeKey(place.names);
      if (!found.has(key)) found.set(key, categoryPath(place.names, places));
    }
  }
  const paths = [...found.values()];
  const above = new Set<string>();
  for (const { names } of paths)
    for (let depth = 1; depth < names.length; depth += 1) above.add(placeKey(names.slice(0, depth)));
  const isInner = ({ names, category }: CategoryPath) => above.has(placeKey(names)) || category?.leaf === false;
  return { paths, wrong, inner: paths.filter(isInner).map(({ path }) => path) };
}

export function categoryPath(names: readonly string[], places: ReadonlyMap<string, DefinitionCategory>): CategoryPath {
  return { path: formatPath(names), names, category: places.get(placeKey(names)) };
}

/** An import is given no more. What is above those that it is given is created with them, listed or not. */
const MOST_LISTED = 10_000;

/** Those that an import creates, each with what the catalog lacks above it, which comes first unless that were too many. */
export function lackingPaths(
  paths: readonly CategoryPath[],
  places: ReadonlyMap<string, DefinitionCategory>,
): string[] {
  const lacking = new Set<string>();
  const own = paths.filter(({ category }) => category === undefined);
  for (const { names } of own) {
    for (let depth = 1; depth <= names.length; depth += 1) {
      const at = categoryPath(names.slice(0, depth), places);
      if (at.category === undefined) lacking.add(at.path);
    }
  }
  return lacking.size <= MOST_LISTED ? [...lacking] : [...new Set(own.map(({ path }) => path))];
}

function partOf(value: string, split: ColumnRule['split']): string {
  if (split?.separator === undefined) return value;
  return (value.split(split.separator)[(split.part ?? 1) - 1] ?? '').trim();
}

/** The first categories that may have items. */
export function leafPaths(
  { categories }: SiteDefinitions,
  places: ReadonlyMap<string, DefinitionCategory>,
  most: number,
): CategoryPath[] {
  const leaves = placedCategories(categories).filter(({ category }) => category.leaf);
  return leaves.slice(0, most).map(({ names }) => categoryPath(names, places));
}
