/** Which attributes the categories of the items lack: an item has only values of attributes that its category has. */
import { placeKey } from '../../catalog/categories/category-places.js';
import type { DefinitionCategory, SiteDefinitions } from '../../catalog/site-definitions.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ProposedMissing } from '../model/proposal.js';
import { type CategoryPath, categoryPath } from './category-paths.js';

/**
 * Categories that exist get attributes themselves. Of those that are created, the topmost gets them: the others inherit
 * them, and the list stays short.
 * @param attributes names by their keys
 */
export function lackingAssignments(
  { attributes: known }: SiteDefinitions,
  paths: readonly CategoryPath[],
  attributes: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, DefinitionCategory>,
): ProposedMissing['assignments'] {
  if (attributes.size === 0) return [];
  const ids = new Map(known.map(({ name, id }) => [attributeKey(name), id]));
  const wanted = [...attributes].map(([key, name]) => ({ name, id: ids.get(key) }));
  const done = new Set<string>();
  const lacking: ProposedMissing['assignments'] = [];
  for (const path of paths) {
    const { at, above } = placeOfAssignment(path, places);
    const key = placeKey(at.names);
    if (done.has(key)) continue;
    done.add(key);
    const has = new Set((at.category ?? above)?.attributes.map(({ attributeId }) => attributeId));
    const names = wanted.filter(({ id }) => id === undefined || !has.has(id)).map(({ name }) => name);
    if (names.length > 0) lacking.push({ category: at.path, attributes: names });
  }
  return lacking;
}

/** @returns the category that gets the attributes, and what is above it if it is new */
function placeOfAssignment(path: CategoryPath, places: ReadonlyMap<string, DefinitionCategory>) {
  if (path.category !== undefined) return { at: path, above: undefined };
  let above = places.get(placeKey([]));
  for (let depth = 1; depth <= path.names.length; depth += 1) {
    const at = categoryPath(path.names.slice(0, depth), places);
    if (at.category === undefined) return { at, above };
    above = at.category;
  }
  return { at: path, above };
}
