/** Looks up stored items by their keys, one chunk at a time. */
import type { Db } from '../../../../../db/connection.js';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import { prepared } from '../../../../../db/prepared.js';

/** The parts of a stored item that a row is compared with. */
export interface StoredItem {
  readonly sku: string;
  readonly type: ItemTypeCode;
  readonly nodeId: number | null;
  readonly status: 'L' | 'D';
  readonly parentSku: string | null;
  readonly channels: readonly number[] | null;
  /** Attribute id → value. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The ctid of its row, valid until the transaction that has locked the row writes it. */
  readonly place: string;
  /** The length of its values as JSON. */
  readonly chars: number;
}

/** Whether a site has no items. ORDER BY makes Postgres use the index of the key instead of a scan. */
export async function siteIsEmpty(db: Db, siteId: number): Promise<boolean> {
  return (await db('item').where({ site_id: siteId }).orderBy('sku').first('sku')) === undefined;
}

/** Keys of items of one site. */
export interface SiteSkus {
  readonly siteId: number;
  readonly skus: readonly string[];
}

/** SQL: the keys of SiteSkus as rows `wanted (nth, site_id, sku)`; bind them as JSON. */
const WANTED = `jsonb_array_elements(:wanted::jsonb) WITH ORDINALITY AS site (wanted, nth)
     CROSS JOIN LATERAL jsonb_array_elements_text(site.wanted -> 'skus') AS key (sku)`;

/**
 * Finds the items of sites that exist. A LATERAL look-up for each key makes the planner use the index, whatever its
 * statistics say.
 * @returns SKU → source hash for each site, in order
 */
export async function probeItems(db: Db, wanted: readonly SiteSkus[]): Promise<Map<string, number | null>[]> {
  const found = wanted.map(() => new Map<string, number | null>());
  if (wanted.every(({ skus }) => skus.length === 0)) return found;
  const result = await prepared<{ rows: { nth: number; sku: string; source_hash: number | null }[] }>(
    db,
    `SELECT site.nth::integer - 1 AS nth, item.sku, item.source_hash
     FROM ${WANTED}
     CROSS JOIN LATERAL (
       SELECT sku, source_hash FROM item
       WHERE site_id = (site.wanted -> 'siteId')::integer AND sku = key.sku COLLATE "C" LIMIT 1) AS item`,
    { wanted: JSON.stringify(wanted) },
  );
  for (const { nth, sku, source_hash: hash } of result.rows) found[nth]?.set(sku, hash);
  return found;
}

/** Loads items and locks their rows, in the order of their keys. Several sites are given in the order of their ids. */
export async function lockItems(db: Db, wanted: readonly SiteSkus[]): Promise<Map<string, StoredItem>[]> {
  const found = wanted.map(() => new Map<string, StoredItem>());
  if (wanted.every(({ skus }) => skus.length === 0)) return found;
  const result = await db.raw<{ rows: (ItemRow & { nth: number })[] }>(
    `SELECT wanted.nth::integer - 1 AS nth, item.*
     FROM (
       SELECT site.nth, (site.wanted -> 'siteId')::integer AS site_id, key.sku FROM ${WANTED}
       ORDER BY site.nth, key.sku COLLATE "C"
     ) AS wanted
     CROSS JOIN LATERAL (
       SELECT ctid::text AS place, sku, type, node_id, status, parent_sku, channels, attributes::text AS attributes FROM item
       WHERE site_id = wanted.site_id AND sku = wanted.sku COLLATE "C" LIMIT 1 FOR UPDATE) AS item`,
    { wanted: JSON.stringify(wanted) },
  );
  for (const { nth, ...row } of result.rows) found[nth]?.set(row.sku, storedItem(row));
  return found;
}

/**
 * SQL: finds the ctid (`held.place`) of the item of each row of `rows` by its sku, in the site of the next binding. The
 * items must be locked. An UPDATE joined to the items by their keys may read all items of a site for ten rows.
 */
export function heldItem(rows: string): string {
  return `CROSS JOIN LATERAL (
    SELECT ctid AS place FROM item WHERE site_id = ? AND sku = ${rows}.sku COLLATE "C" LIMIT 1) AS held`;
}

/** SQL: what an UPDATE sets that changes the status of an item alone, so that retries still see when a row wrote it. */
export const KEEPING_TIME_OF_ROWS = 'rows_updated_at = coalesce(item.rows_updated_at, item.updated_at)';

interface ItemRow {
  readonly sku: string;
  readonly type: ItemTypeCode;
  readonly node_id: number | null;
  readonly status: 'L' | 'D';
  readonly parent_sku: string | null;
  readonly channels: number[] | null;
  /** As JSON. */
  readonly attributes: string;
  readonly place: string;
}

function storedItem(row: ItemRow): StoredItem {
  return {
    sku: row.sku,
    type: row.type,
    nodeId: row.node_id,
    status: row.status,
    parentSku: row.parent_sku,
    channels: row.channels,
    attributes: JSON.parse(row.attributes),
    place: row.place,
    chars: row.attributes.length,
  };
}
