/** Puts items into a category of an alternate tree, or takes them out. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { SiteContext } from '../../access/site-context.js';
import { FIELD, type ItemChange, NO_CHANGES, OPERATION } from '../../changes/model/item-change.js';
import { recordChanges } from '../../changes/record-changes.js';
import { DomainError } from '../../kernel/errors.js';
import { type CategoryReference, requireCategory } from '../categories/find-category.js';
import { normalizeSku } from './item-key.js';
import { visibleItems } from './visible-items.js';

interface CategoryItemChange {
  readonly sku: string;
  readonly action: 'SET' | 'UNSET';
}

/** UNCHANGED: a SET of an item that was in the category already, or an UNSET of one that was not. */
export type CategoryItemOutcome = 'SET' | 'UNSET' | 'UNCHANGED' | 'SKU_NOT_FOUND' | 'SKU_DUPLICATE_IN_REQUEST';

interface CategoryItemResult extends CategoryItemChange {
  readonly index: number;
  readonly outcome: CategoryItemOutcome;
}

/**
 * Makes all changes that are possible, in one transaction, and returns the outcome of each. If a SKU is named twice,
 * the last change counts.
 * @throws DomainError invalid: NODE_NOT_FOUND, NODE_NOT_ALTERNATE, NODE_NOT_LEAF
 */
export async function setCategoryItems(
  db: Db,
  site: SiteContext,
  reference: CategoryReference,
  changes: readonly CategoryItemChange[],
): Promise<{ category: Category; results: CategoryItemResult[] }> {
  return withRetries(db, async (trx) => {
    const found = await requireCategory(trx, site.siteId, reference);
    const keyed = changes.map(({ sku, action }) => ({ sku: normalizeSku(sku), action }));
    const lastOf = new Map(keyed.map(({ sku }, index) => [sku, index]));
    // Before the category, as jobs that write items do.
    const known = await lockKnown(trx, site, [...lastOf.keys()]);
    // The lock excludes a transaction that adds a child to the category: see the leaf rule in category-rules.ts.
    const category = await Category.query(trx).findById(found.id).forUpdate().throwIfNotFound();
    await refuseUnfit(trx, category);
    const counting = keyed.filter(({ sku }, index) => lastOf.get(sku) === index && known.has(sku));
    const changed = await writeItems(trx, category, counting);
    const rows = new Map([...lastOf].map(([sku, index]) => [sku, index + 1]));
    await recordMemberships(trx, site, category, changed, rows);
    const results = keyed.map(({ sku, action }, index): CategoryItemResult => {
      if (!known.has(sku)) return { index, sku, action, outcome: 'SKU_NOT_FOUND' };
      if (lastOf.get(sku) !== index) return { index, sku, action, outcome: 'SKU_DUPLICATE_IN_REQUEST' };
      return { index, sku, action, outcome: changed.has(sku) ? action : 'UNCHANGED' };
    });
    return { category, results };
  });
}

async function refuseUnfit(trx: Knex.Transaction, category: Category): Promise<void> {
  if (category.tree !== 'ALTERNATE') {
    const message = `Category "${category.name}" belongs to the primary tree: set the category of its items by a bulk upsert of the items.`;
    throw new DomainError('invalid', 'NODE_NOT_ALTERNATE', message);
  }
  const child = await Category.query(trx).findOne({ parent_id: category.id }).select('id');
  if (child === undefined) return;
  const message = `Category "${category.name}" (node id ${category.node_id}) has children: only leaves hold items.`;
  throw new DomainError('invalid', 'NODE_NOT_LEAF', message);
}

/** Locks the items, so that none is deleted meanwhile: its place would be that of a later item with its SKU. */
async function lockKnown(trx: Knex.Transaction, site: SiteContext, skus: readonly string[]): Promise<Set<string>> {
  const rows = await visibleItems(trx, site)
    .whereRaw('item.sku = ANY (?)', [[...skus]])
    .orderBy('item.sku')
    .forUpdate()
    .select('item.sku');
  return new Set(rows.map(({ sku }) => sku));
}

/** Returns the SKUs whose membership changed. */
async function writeItems(
  trx: Knex.Transaction,
  category: Category,
  changes: readonly CategoryItemChange[],
): Promise<Set<string>> {
  const skusOf = (action: string) => changes.filter((change) => change.action === action).map(({ sku }) => sku);
  const scope = { categoryId: category.id, siteId: category.site_id };
  const set = await trx.raw<{ rows: { sku: string }[] }>(SET_ITEMS, { ...scope, skus: skusOf('SET') });
  const unset = await trx.raw<{ rows: { sku: string }[] }>(UNSET_ITEMS, { ...scope, skus: skusOf('UNSET') });
  const changed = new Set([...set.rows, ...unset.rows].map(({ sku }) => sku));
  if (changed.size > 0) await trx.raw(FORGET_SOURCE, { siteId: category.site_id, skus: [...changed].sort() });
  return changed;
}

/** Records the changes for the change log. The items are locked: what others have changed meanwhile is committed. */
async function recordMemberships(
  trx: Knex.Transaction,
  { siteId, actor = null }: SiteContext,
  { id }: Category,
  skus: ReadonlySet<string>,
  rows: ReadonlyMap<string, number>,
): Promise<void> {
  if (skus.size === 0) return;
  const held = await trx.raw<{ rows: { sku: string; after: string[] }[] }>(MEMBERSHIPS, { siteId, skus: [...skus] });
  const changed = held.rows.map(({ sku, after }): ItemChange => {
    const before = after.includes(id) ? after.filter((other) => other !== id) : [...after, id].sort();
    const difference = { ...(before.length === 0 ? {} : { b: before }), ...(after.length === 0 ? {} : { a: after }) };
    const row = rows.get(sku) ?? null;
    return { sku, operation: OPERATION.updated, row, changed: { [FIELD.alternates]: difference } };
  });
  await recordChanges(trx, [{ siteId, jobId: null, actor, changes: { ...NO_CHANGES, changed } }]);
}

const MEMBERSHIPS = `
  SELECT item.sku, ARRAY(
    SELECT category_id FROM category_item WHERE site_id = :siteId AND sku = item.sku ORDER BY category_id) AS after
  FROM unnest(:skus::text[]) AS changed (sku)
  CROSS JOIN LATERAL (SELECT sku FROM item WHERE site_id = :siteId AND sku = changed.sku COLLATE "C" LIMIT 1) AS item
  ORDER BY item.sku
`;

const SET_ITEMS = `
  INSERT INTO category_item (category_id, site_id, sku)
  SELECT :categoryId, :siteId, sku FROM unnest(:skus::text[]) AS sku ORDER BY sku
  ON CONFLICT ON CONSTRAINT category_item_pk DO NOTHING RETURNING sku
`;

/**
 * The rows of a file may name the memberships of their items: without their hashes, they are compared with the items
 * when the file is imported again.
 */
const FORGET_SOURCE = `
  UPDATE item SET source_hash = NULL
  FROM (
    SELECT item.ctid AS place FROM unnest(:skus::text[]) AS changed (sku) CROSS JOIN LATERAL (
      SELECT ctid FROM item WHERE site_id = :siteId AND sku = changed.sku COLLATE "C" LIMIT 1 FOR UPDATE) AS item
  ) AS held
  WHERE item.ctid = held.place AND source_hash IS NOT NULL
`;

const UNSET_ITEMS = `
  DELETE FROM category_item WHERE category_id = :categoryId AND sku = ANY (:skus::text[]) RETURNING sku
`;
