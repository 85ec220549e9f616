/** SQL: the items that an export had, or may have had, and has no longer, of those that have changed since. */
import { type Sql, sql, textArray } from '../../../../db/sql.js';
import type { FeedPlace } from '../../changes/feed-cursor.js';
import { changedSkus, goneSkus } from './changed-skus.js';
import { type ItemScope, itemCondition } from './item-condition.js';

/**
 * The SKUs, as `sku`, of items that were deleted after a place, or were changed and do not meet the conditions of the export:
 * somebody who adds up such files would keep them otherwise.
 */
export function leftSkus(scope: ItemScope, since: FeedPlace): Sql {
  const { siteId, match } = scope;
  const { skus, skuPrefix } = match;
  // An item keeps its SKU: what has another one was never meant.
  const begun = skuPrefix === undefined ? sql`true` : sql`changed.sku ^@ ${skuPrefix}`;
  const named = skus === undefined ? begun : sql`changed.sku = ANY(${textArray(skus)}) AND ${begun}`;
  const ofTypes = itemCondition({ siteId, channel: null, date: null, match: { types: match.types } });
  // Each item is looked up once, whatever it is compared with.
  return sql`
    SELECT changed.sku FROM (${changedSkus(siteId, since)}) AS changed
    LEFT JOIN LATERAL (
      SELECT ${itemCondition({ ...scope, since: undefined })} AS matches, ${ofTypes} AS of_types
      FROM item AS i WHERE i.site_id = ${siteId} AND i.sku = changed.sku OFFSET 0) AS item ON true
    WHERE ${named} AND item.matches IS NOT TRUE
      AND (item.of_types OR changed.sku IN (${goneSkus(siteId, since, match.types)}))
    ORDER BY changed.sku`;
}
