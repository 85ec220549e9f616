/** The places of categories in the primary tree: the names on the way from the root to each. */

import type { DefinitionCategory } from '../site-definitions.js';
import { categoryKey } from './category-name.js';

/** A category, and the names on the way to it; the root has none. */
interface PlacedCategory {
  readonly category: DefinitionCategory;
  readonly names: readonly string[];
}

/** @param categories parents first */
export function placedCategories(categories: readonly DefinitionCategory[]): PlacedCategory[] {
  const known = new Map<number, readonly string[]>();
  return categories.map((category) => {
    const { nodeId, parentNodeId, name } = category;
    const names = parentNodeId === null ? [] : [...(known.get(parentNodeId) ?? []), name];
    known.set(nodeId, names);
    return { category, names };
  });
}

/** The categories by the keys of their places. @param categories parents first */
export function categoriesByPlace(categories: readonly DefinitionCategory[]): ReadonlyMap<string, DefinitionCategory> {
  return new Map(placedCategories(categories).map(({ category, names }) => [placeKey(names), category]));
}

/** The same for names that are the same category. */
export function placeKey(names: readonly string[]): string {
  return JSON.stringify(names.map(categoryKey));
}
