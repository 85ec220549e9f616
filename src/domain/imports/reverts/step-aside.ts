/** Moves categories out of the way that are about to be deleted, and lets others wait where nothing bars their way. */
import type { Knex } from 'knex';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { SiteContext } from '../../access/site-context.js';
import { recreateCategory } from '../../catalog/categories/create-category.js';
import { updateCategory } from '../../catalog/categories/update-category.js';
import type { DefinitionRow } from './definition-row.js';
import { presentDefinitions } from './present-definitions.js';
import { isOfDefinition, type ReadChange } from './read-change.js';

/**
 * A category that the jobs have created, and that still holds items, may have the name of one that comes back for them, or be
 * below the leaf that they come back to; and one that comes back for items may have its place below the leaf that they leave. Until
 * the items have moved it has a name of its own at the top. The caller does all this in one transaction, or undoes it.
 * @returns the rows of those that were moved, by their indexes, with what is left of them
 */
export async function stepAside(
  trx: Knex.Transaction,
  { siteId }: Pick<SiteContext, 'siteId'>,
  rows: ReadonlyMap<number, ReadChange>,
): Promise<ReadonlyMap<number, ReadChange>> {
  const due = [...rows].flatMap(([index, one]) =>
    isOfDefinition(one) && isBelowTop(one.item) ? [[index, one] as const] : [],
  );
  if (due.length === 0) return new Map();
  const root = await Category.query(trx).findOne({ site_id: siteId, tree: 'PRIMARY', parent_id: null });
  if (root === undefined) return new Map();
  const definitions = due.map(([, { item }]) => item);
  const before = await presentDefinitions(trx, siteId, definitions);
  for (const { key, before: former } of definitions) {
    const [isThere, name] = [before.has(`category ${key}`), `taken back ${key}`];
    if (isThere && former === null) {
      await updateCategory(trx, siteId, { id: key }, { name, parent: { id: root.id }, isExclusive: true });
    } else if (!isThere && former !== null) {
      const image = former as { nodeId: number; tree: CategoryTree; order: number; active: boolean };
      const { nodeId, tree, order, active } = image;
      await recreateCategory(trx, siteId, { id: key, nodeId, parentId: root.id, tree, name, order, active });
    }
  }
  const present = await presentDefinitions(trx, siteId, definitions);
  return new Map(
    due.flatMap(([index, one]): [number, ReadChange][] => {
      const id = `category ${one.item.key}`;
      const after = present.get(id);
      if (after === undefined || (before.has(id) && one.item.before !== null)) return [];
      return [[index, { ...one, item: { ...one.item, after } }]];
    }),
  );
}

/** Whether it is about a category of the primary tree that comes or goes, and is not its root. */
function isBelowTop({ kind, before, after }: DefinitionRow): boolean {
  if (kind !== 'category' || (before !== null && after !== null)) return false;
  const image = before ?? after;
  return image?.tree === 'PRIMARY' && image.parentId !== null;
}
