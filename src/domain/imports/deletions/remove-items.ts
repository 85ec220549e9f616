/** Deletes items with what belongs to them: unique values, places in alternate categories, contents of bundles, and which feeds wrote them. */
import type { Knex } from 'knex';
import type { ItemChange } from '../../changes/model/item-change.js';
import { recordDeletions } from '../../changes/record-deletions.js';
import { IMAGE, imagesOf, THESE_ITEMS } from './images-of-items.js';

/**
 * Deletes items that no other item refers to. The transaction has locked their rows.
 * @param rows SKU → the row that deletes it
 * @returns what the change log keeps of each
 */
export async function removeItems(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
  rows: ReadonlyMap<string, number>,
): Promise<ItemChange[]> {
  const changed = await imagesOf(trx, siteId, skus, rows);
  await deleteItems(trx, siteId, skus);
  return changed;
}

/** Does the same, and records what was deleted, in a fraction of the time because what the items were like stays in Postgres. */
export async function removeRecorded(
  trx: Knex.Transaction,
  job: { readonly id: string; readonly site_id: number; readonly actor: string | null },
  skus: readonly string[],
): Promise<void> {
  if (skus.length === 0) return;
  await recordDeletions(trx, job, { image: IMAGE, which: THESE_ITEMS, bindings: { skus: JSON.stringify(skus) } });
  await deleteItems(trx, job.site_id, skus);
}

async function deleteItems(trx: Knex.Transaction, siteId: number, skus: readonly string[]): Promise<void> {
  if (skus.length === 0) return;
  const bindings = { siteId, skus: JSON.stringify(skus) };
  const these = 'ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))';
  await trx.raw(`DELETE FROM item WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM item_unique_value WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM category_item WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM bundle_item WHERE site_id = :siteId AND bundle_sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM feed_item WHERE site_id = :siteId AND sku = ${these}`, bindings);
  // For as long as an earlier job can be retried.
  await trx.raw(
    `INSERT INTO deleted_item (site_id, sku, deleted_at)
     SELECT :siteId, sku, now() FROM jsonb_array_elements_text(:skus::jsonb) AS deleted (sku)
     ON CONFLICT (site_id, sku) DO UPDATE SET deleted_at = now()`,
    bindings,
  );
}
