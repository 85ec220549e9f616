/** The categories that the values of a column name. */
import { categoryKey } from '../../catalog/categories/category-name.js';
import { formatPath } from '../../catalog/categories/category-path.js';
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

function partOf(value: string, split: ColumnRule['split']): string {
  if (split?.separator === undefined) return value;
  return (value.split(split.separator)[(split.part ?? 1) - 1] ?? '').trim();
}

export function placeKey(names: readonly string[]): string {
  return JSON.stringify(names.map(categoryKey));
}

/** The categories of the primary tree by their places. */
export function placesOf({ categories }: SiteDefinitions): ReadonlyMap<string, DefinitionCategory> {
  const found = new Map<string, DefinitionCategory>();
  const names = new Map<number, readonly string[]>();
  for (const category of categories) {
    const { nodeId, parentNodeId, name } = category;
    const own = parentNodeId === null ? [] : [...(names.get(parentNodeId) ?? []), name];
    names.set(nodeId, own);
    found.set(placeKey(own), category);
  }
  return found;
}

/** The first categories that may have items. */
export function leafPaths(
  { categories }: SiteDefinitions,
  places: ReadonlyMap<string, DefinitionCategory>,
  most: number,
): CategoryPath[] {
  const names = new Map<number, readonly string[]>();
  const found: CategoryPath[] = [];
  for (const { nodeId, parentNodeId, name, leaf } of categories) {
    const own = parentNodeId === null ? [] : [...(names.get(parentNodeId) ?? []), name];
    names.set(nodeId, own);
    if (leaf && found.length < most) found.push(categoryPath(own, places));
  }
  return found;
}
