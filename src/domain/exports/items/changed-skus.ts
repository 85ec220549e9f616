/** SQL over the change log, for exports of what has changed. */
import { joinSql, type Sql, sql } from '../../../../db/sql.js';
import { END_OF_SET, type FeedPlace } from '../../changes/feed-cursor.js';
import { FIELD } from '../../changes/model/item-change.js';
import { ITEM_CHANGES } from '../../changes/model/of-set.js';
import type { ItemMatch } from '../model/export-spec.js';

/** The sets after a place. Those without a position were committed last. A set that was read in part counts as unread. */
function setsAfter(siteId: number, { position, n }: FeedPlace): Sql {
  const last = n === END_OF_SET ? position : position - 1;
  return sql`set.site_id = ${siteId} AND NOT set.preview AND (set.position IS NULL OR set.position > ${last})`;
}

/** The SKUs of the items that were created, changed or deleted after a place. */
export function changedSkus(siteId: number, since: FeedPlace): Sql {
  const after = setsAfter(siteId, since);
  return sql`
    SELECT created.sku FROM change_set AS set CROSS JOIN LATERAL unnest(set.created) AS created (sku) WHERE ${after}
    UNION
    SELECT change.sku FROM change_set AS set ${ITEM_CHANGES}
    WHERE ${after}`;
}

/**
 * The SKUs, as `sku`, of items of these types that were deleted after a place, whether or not there is another one now, or
 * whose place one of another type took again.
 */
export function goneSkus(siteId: number, since: FeedPlace, types: ItemMatch['types']): Sql {
  const ofTypes = joinSql(
    types.map((type) => sql`change.changed -> ${FIELD.type} ->> 'b' = ${type}`),
    ' OR ',
  );
  return sql`
    SELECT change.sku FROM change_set AS set
    ${ITEM_CHANGES}
    WHERE ${setsAfter(siteId, since)} AND change.operation IN ('D', 'U') AND (${ofTypes})`;
}
