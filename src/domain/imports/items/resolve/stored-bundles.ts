/** Loads and stores the components of bundles, one chunk at a time. */
import type { Knex } from 'knex';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { ItemState } from './item-state.js';

/** @returns bundle → its components, in order */
export async function loadComponents(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Component[]>> {
  const components = new Map<string, Component[]>();
  if (skus.length === 0) return components;
  const result = await trx.raw(
    `SELECT part.bundle_sku, part.sku, part.quantity FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       SELECT bundle_sku, position, sku, quantity FROM bundle_item
       WHERE site_id = ? AND bundle_sku = wanted.sku COLLATE "C" ORDER BY position) AS part
     ORDER BY part.bundle_sku, part.position`,
    [JSON.stringify(skus), siteId],
  );
  for (const { bundle_sku: bundle, sku, quantity } of result.rows) {
    const held = components.get(bundle);
    if (held === undefined) components.set(bundle, [{ sku, quantity }]);
    else held.push({ sku, quantity });
  }
  return components;
}

/** @returns SKU → type, for the items that exist */
export async function loadTypes(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, ItemTypeCode>> {
  if (skus.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT item.sku, item.type FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, type FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; type: ItemTypeCode }) => [row.sku, row.type]));
}

/**
 * SQL: the bundles that each of the bundles holds. Each is looked up by its key; with a join, a few bundles may make
 * Postgres read all bundles and all items of the site.
 */
const HELD_BUNDLES = (bundles: 'below' | 'above', isBundle = "type = 'B'"): string => `CROSS JOIN LATERAL (
  SELECT part.bundle_sku, part.sku FROM bundle_item AS part CROSS JOIN LATERAL (
    SELECT FROM item WHERE site_id = :siteId AND sku = part.sku AND ${isBundle} LIMIT 1) AS bundle
  WHERE part.site_id = :siteId AND part.bundle_sku = ${bundles}.sku ORDER BY part.position) AS held`;

/** Loads the bundles below these: bundle → the bundles that it holds. */
export function loadHeldBundles(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Set<string>>> {
  return loadEdges(
    trx,
    `WITH RECURSIVE below (sku) AS (
       SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"
       UNION
       SELECT held.sku FROM below ${HELD_BUNDLES('below')}
     )
     SELECT held.bundle_sku, held.sku FROM below ${HELD_BUNDLES('below')}`,
    { siteId, skus: JSON.stringify(skus) },
  );
}

/** SQL: that an item is a bundle, or one of those that are asked for, whose place a bundle is to take. */
const BUNDLE_OR_ASKED = "(type = 'B' OR sku IN (SELECT jsonb_array_elements_text(:skus::jsonb)))";

/** Loads the bundles above these, directly or not: bundle → the bundles that it holds, and those of these. */
export function loadHolders(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Set<string>>> {
  return loadEdges(
    trx,
    `WITH RECURSIVE above (sku) AS (
       SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"
       UNION
       SELECT holder.bundle_sku FROM above CROSS JOIN LATERAL (
         SELECT bundle_sku FROM bundle_item WHERE site_id = :siteId AND sku = above.sku OFFSET 0) AS holder
     )
     SELECT held.bundle_sku, held.sku FROM above ${HELD_BUNDLES('above', BUNDLE_OR_ASKED)}`,
    { siteId, skus: JSON.stringify(skus) },
  );
}

async function loadEdges(
  trx: Knex.Transaction,
  sql: string,
  bindings: { readonly siteId: number; readonly skus: string },
): Promise<Map<string, Set<string>>> {
  const result = await trx.raw(sql, bindings);
  const edges = new Map<string, Set<string>>();
  for (const { bundle_sku: bundle, sku } of result.rows) {
    const held = edges.get(bundle);
    if (held === undefined) edges.set(bundle, new Set([sku]));
    else held.add(sku);
  }
  return edges;
}

/** Replaces the components of bundles. */
export async function storeComponents(
  trx: Knex.Transaction,
  siteId: number,
  bundles: readonly ItemState[],
): Promise<void> {
  if (bundles.length === 0) return;
  await trx.raw(
    `DELETE FROM bundle_item
     WHERE site_id = ? AND bundle_sku = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb) COLLATE "C"))`,
    [siteId, JSON.stringify(bundles.map(({ sku }) => sku))],
  );
  const rows = bundles.flatMap(({ sku: bundle, components }) =>
    (components ?? []).map(({ sku, quantity }, position) => ({ b: bundle, p: position, s: sku, q: quantity })),
  );
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO bundle_item (site_id, bundle_sku, position, sku, quantity)
     SELECT ?, b, p, s, q FROM jsonb_to_recordset(?::jsonb) AS part (b text, p integer, s text, q integer)`,
    [siteId, JSON.stringify(rows)],
  );
}
