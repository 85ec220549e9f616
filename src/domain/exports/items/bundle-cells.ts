/** What a bundle holds (`v.site_id`, `v.sku`), as a cell and as JSON. */
import { sql } from '../../../../db/sql.js';

/** `SKU-1:2;SKU-2:1`, with a backslash before a colon, semicolon or backslash in a SKU; NULL: it holds nothing, or is no bundle. */
export const BUNDLE_ITEMS_CELL = sql`(
  SELECT string_agg(regexp_replace(b.sku, '[\\\\:;]', '\\\\\\&', 'g') || ':' || b.quantity, ';' ORDER BY b.position)
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku)`;

/** The member with its comma; NULL for what is no bundle. */
export const BUNDLE_ITEMS_MEMBER = sql`CASE WHEN v.type = 'B' THEN (
  SELECT ',"bundleItems":[' || coalesce(string_agg(
    '{"sku":' || to_json(b.sku) || ',"quantity":' || b.quantity || '}', ',' ORDER BY b.position), '') || ']'
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku) END`;
