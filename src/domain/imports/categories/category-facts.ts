/** The facts that decisions depend on: the site's attributes, and which categories contain items. */
import type { Knex } from 'knex';
import type { AttributeReference } from '../../catalog/attributes/attribute-reference.js';
import { filledCategories } from '../../catalog/categories/held-items.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { NameHints } from '../../kernel/nearest-name.js';
import type { CategoryNode, CategoryTrees } from './category-trees.js';
import type { CategoryFields } from './placed-rows.js';

export interface CategoryFacts {
  attributeId(reference: AttributeReference): string | undefined;
  /** Names of the site's attributes, for suggestions. */
  readonly attributeHints: NameHints<string>;
  /** Ids of categories that would get their first child and contain items. */
  readonly full: ReadonlySet<string>;
}

/**
 * @param fieldsOf the fields of a node's row; undefined when it has none
 * @param assigning whether a row names attributes
 */
export async function loadCategoryFacts(
  trx: Knex.Transaction,
  siteId: number,
  trees: CategoryTrees,
  fieldsOf: (node: CategoryNode) => CategoryFields | undefined,
  assigning: boolean,
): Promise<CategoryFacts> {
  const nodes = trees.levels.flat();
  const attributes = assigning ? await loadAttributes(trx, siteId) : [];
  const ids = new Set(attributes.map(({ id }) => id));
  const byKey = new Map(attributes.map(({ id, name_key }) => [name_key, id]));
  return {
    attributeId: (reference) => {
      if ('name' in reference) return byKey.get(attributeKey(reference.name));
      return ids.has(reference.id) ? reference.id : undefined;
    },
    attributeHints: new NameHints(
      () => attributes.map(({ name }) => name),
      (name) => name,
    ),
    full: await findFull(trx, siteId, nodes, fieldsOf),
  };
}

function loadAttributes(
  trx: Knex.Transaction,
  siteId: number,
): Promise<{ id: string; name: string; name_key: string }[]> {
  return trx('attribute').where({ site_id: siteId }).orderBy(['position', 'id']).select('id', 'name', 'name_key');
}

/**
 * Finds the leaves that would get their first child and contain items. It locks these leaves, as does every statement
 * that puts items into a category of an alternate tree.
 */
async function findFull(
  trx: Knex.Transaction,
  siteId: number,
  nodes: readonly CategoryNode[],
  fieldsOf: (node: CategoryNode) => CategoryFields | undefined,
): Promise<Set<string>> {
  const growing = nodes.filter((node) => node.stored === null && fieldsOf(node) !== undefined);
  const parents = new Set(growing.flatMap(({ parent }) => parent?.stored?.id ?? []));
  if (parents.size === 0) return new Set();
  const leaves: { id: string; tree: string; node_id: number }[] = await trx('category as leaf')
    .whereRaw('leaf.id = ANY (?)', [[...parents]])
    .whereRaw('NOT EXISTS (SELECT 1 FROM category AS child WHERE child.parent_id = leaf.id)')
    .whereRaw("NOT (leaf.tree = 'PRIMARY' AND leaf.parent_id IS NULL)")
    .orderBy('leaf.id')
    .forUpdate('leaf')
    .select('leaf.id', 'leaf.tree', 'leaf.node_id');
  const primary = new Map(leaves.filter(({ tree }) => tree === 'PRIMARY').map(({ id, node_id }) => [node_id, id]));
  const alternate = leaves.filter(({ tree }) => tree === 'ALTERNATE').map(({ id }) => id);
  const full = new Set<string>();
  const filled = await filledCategories(trx, siteId)
    .whereRaw('node_id = ANY (?)', [[...primary.keys()]])
    .pluck('node_id');
  if (filled.length > 0) {
    const held = await trx('item')
      .distinct('node_id')
      .where({ site_id: siteId })
      .whereRaw('node_id = ANY (?)', [filled]);
    for (const { node_id } of held) full.add(primary.get(node_id) ?? '');
  }
  if (alternate.length > 0) {
    const held = await trx('category_item').distinct('category_id').whereRaw('category_id = ANY (?)', [alternate]);
    for (const { category_id } of held) full.add(category_id);
  }
  return full;
}
