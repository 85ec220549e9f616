/** Moves categories out of the way that are about to be deleted. */
import type { Knex } from 'knex';
import { Category } from '../../../../db/models/category.js';
import { updateCategory } from '../../catalog/categories/update-category.js';
import type { SiteContext } from '../../access/site-context.js';
import { presentDefinitions } from './present-definitions.js';
import { isOfDefinition, type ReadChange } from './read-change.js';

/**
 * A category that the jobs have created, and that still holds items, may have the name of one that comes back for them, or be
 * below the leaf that they come back to. Until it is deleted it has a name of its own at the top. The caller deletes it in the same
 * transaction, or undoes it.
 * @returns the rows of those that were moved, by their indexes, with what is left of them
 */
export async function stepAside(
  trx: Knex.Transaction,
  { siteId }: Pick<SiteContext, 'siteId'>,
  rows: ReadonlyMap<number, ReadChange>,
): Promise<ReadonlyMap<number, ReadChange>> {
  const going = [...rows].flatMap(([index, one]) =>
    isOfDefinition(one) && one.item.kind === 'category' && one.item.before === null && one.item.after?.parentId != null
      ? [[index, one] as const]
      : [],
  );
  const keys = going.map(([, { item }]) => item.key);
  const there = await Category.query(trx)
    .where({ site_id: siteId, tree: 'PRIMARY' })
    .whereRaw('id = ANY (?::text[])', [keys]);
  const root = there.length === 0 ? undefined : await Category.query(trx).findOne({ site_id: siteId, tree: 'PRIMARY', parent_id: null });
  if (root === undefined) return new Map();
  for (const { id } of there) {
    const away = { name: `taken back ${id}`, parent: { id: root.id }, isExclusive: true };
    await updateCategory(trx, siteId, { id }, away);
  }
  const moved = new Set(there.map(({ id }) => id));
  const due = going.filter(([, { item }]) => moved.has(item.key));
  const present = await presentDefinitions(
    trx,
    siteId,
    due.map(([, { item }]) => item),
  );
  return new Map(
    due.map(([index, one]) => {
      const after = present.get(`${one.item.kind} ${one.item.key}`) ?? null;
      return [index, { ...one, item: { ...one.item, after } }] as const;
    }),
  );
}
