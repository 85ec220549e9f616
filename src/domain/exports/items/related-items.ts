/** SQL that names the parent of a variant and the items of a bundle. */
import { sql } from '../../../../db/sql.js';

/** `SKU-1:2;SKU-2:1`, with a backslash before a colon, semicolon or backslash in a SKU; NULL without items. */
export const BUNDLE_ITEMS_CELL = sql`(
  SELECT string_agg(regexp_replace(b.sku, '[\\\\:;]', '\\\\\\&', 'g') || ':' || b.quantity, ';' ORDER BY b.position)
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku)`;

/** The JSON member, with a comma before it; NULL when the item is not a bundle. */
export const BUNDLE_ITEMS_MEMBER = sql`CASE WHEN v.type = 'B' THEN (
  SELECT ',"bundleItems":[' || coalesce(string_agg(
    '{"sku":' || to_json(b.sku) || ',"quantity":' || b.quantity || '}', ',' ORDER BY b.position), '') || ']'
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku) END`;

/** The parent as an import reads it: `detach` alone separates an item from its parent. */
export const PARENT_SKU = sql`CASE WHEN v.parent_sku ~ ${'^\\\\*detach$'} THEN ${'\\'} || v.parent_sku ELSE v.parent_sku END`;
