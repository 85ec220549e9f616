/** What the change log keeps of items that are deleted: all that is needed to create them again. */
import type { Knex } from 'knex';
import { type Difference, FIELD, type ItemChange, OPERATION } from '../../changes/model/item-change.js';

interface Image {
  readonly sku: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @param rows SKU → the row that deletes it @returns a change for each item, in the order of their SKUs */
export async function imagesOf(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
  rows: ReadonlyMap<string, number>,
): Promise<ItemChange[]> {
  if (skus.length === 0) return [];
  const { rows: images } = await trx.raw<{ rows: Image[] }>(IMAGES, { siteId, skus: JSON.stringify(skus) });
  return images.map(({ sku, attributes, fields }) => {
    const changed: Record<string, Difference> = {};
    for (const [id, b] of Object.entries(attributes)) changed[id] = { b };
    for (const [name, b] of Object.entries(fields)) if (b !== null) changed[name] = { b };
    return { sku, operation: OPERATION.deleted, row: rows.get(sku) ?? null, changed };
  });
}

const IMAGES = `
  SELECT item.sku, item.attributes, jsonb_build_object(
    '${FIELD.node}', item.node_id, '${FIELD.parent}', item.parent_sku, '${FIELD.channels}', item.channels,
    '${FIELD.status}', item.status, '${FIELD.type}', item.type, '${FIELD.createdAt}', item.created_at,
    '${FIELD.alternates}', (
      SELECT jsonb_agg(category_id ORDER BY category_id) FROM category_item
      WHERE site_id = :siteId AND sku = item.sku),
    '${FIELD.bundle}', (
      SELECT jsonb_agg(jsonb_build_object('sku', part.sku, 'quantity', part.quantity) ORDER BY part.position)
      FROM bundle_item AS part WHERE part.site_id = :siteId AND part.bundle_sku = item.sku)) AS fields
  FROM item
  WHERE site_id = :siteId AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))
  ORDER BY item.sku`;
