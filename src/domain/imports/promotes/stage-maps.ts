/** What the attributes and categories of one stage are called in another one. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { categoryKey } from '../../catalog/categories/category-name.js';
import { formatPath } from '../../catalog/categories/category-path.js';

/** Ids of the source → ids of the target; what the target lacks is called by its name or path. */
export interface StageMaps {
  readonly attributes: Readonly<Record<string, string>>;
  readonly nodes: Readonly<Record<string, number | string>>;
  /** Categories by id. */
  readonly places: Readonly<Record<string, string>>;
  /** Ids of attributes of the target whose values are not those of the attributes of the source with their names. */
  readonly differing: ReadonlySet<string>;
}

interface AttributeRow {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  readonly type: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

interface CategoryRow {
  readonly id: string;
  readonly node_id: number;
  readonly parent_id: string | null;
  readonly tree: string;
  readonly name: string;
}

export async function loadStageMaps(trx: Knex.Transaction, sourceId: number, targetId: number): Promise<StageMaps> {
  const attributesOf = (siteId: number): Promise<AttributeRow[]> =>
    trx('attribute').where({ site_id: siteId }).select('id', 'name', 'name_key', 'type', 'definition');
  const categoriesOf = (siteId: number): Promise<CategoryRow[]> =>
    trx('category').where({ site_id: siteId }).select('id', 'node_id', 'parent_id', 'tree', 'name');
  const [sources, targets] = [await attributesOf(sourceId), await attributesOf(targetId)];
  const byKey = new Map(targets.map((attribute) => [attribute.name_key, attribute]));
  const attributes: Record<string, string> = {};
  const differing = new Set<string>();
  for (const source of sources) {
    const target = byKey.get(source.name_key);
    attributes[source.id] = target?.id ?? source.name;
    if (target !== undefined && !isDeepStrictEqual(valuesOf(source), valuesOf(target))) differing.add(target.id);
  }
  const there = placed(await categoriesOf(targetId));
  const byPath = new Map(there.map(({ key, category }) => [key, category]));
  const nodes: Record<string, number | string> = {};
  const places: Record<string, string> = {};
  for (const { key, path, category } of placed(await categoriesOf(sourceId))) {
    const target = byPath.get(key);
    nodes[category.node_id] = target?.node_id ?? path;
    places[category.id] = target?.id ?? path;
  }
  return { attributes, nodes, places, differing };
}

/** What decides which values an attribute has. */
function valuesOf({ type, definition: { options, optionsType, textSubType, validation } }: AttributeRow): unknown {
  return { type, options, optionsType, textSubType, validation };
}

function placed(categories: readonly CategoryRow[]) {
  const byId = new Map(categories.map((category) => [category.id, category]));
  return categories.map((category) => {
    const names: string[] = [];
    for (let at: CategoryRow | undefined = category; at !== undefined; at = byId.get(at.parent_id ?? '')) {
      names.unshift(at.name);
    }
    const key = JSON.stringify([category.tree, ...names.map(categoryKey)]);
    return { key, path: formatPath(names), category };
  });
}
