/** Whether definitions have changed after a place in the feed so that items are written otherwise, though they did not change. */
import type { Db } from '../../../db/connection.js';
import { END_OF_SET, type FeedPlace } from './feed-cursor.js';

/**
 * New attributes and categories change no row that was written; neither do options, the order and assignments. Names, types and
 * places in a tree do, and so does what is mapped to the SKU.
 */
const REWRITES = `
  (change.kind = 'mapping' AND change.key = 'sku')
  OR (change.kind = 'attribute' AND change.operation = 'D')
  OR (change.kind = 'category' AND change.operation = 'D')
  OR (change.kind = 'attribute' AND change.operation = 'U' AND
    (change.before - '{position,serialNext,createdAt}'::text[]) #- '{definition,options}'
    IS DISTINCT FROM (change.after - '{position,serialNext,createdAt}'::text[]) #- '{definition,options}')
  OR (change.kind = 'category' AND change.operation = 'U' AND
    (change.before - '{order,active,createdAt,parentNodeId}'::text[])
    IS DISTINCT FROM (change.after - '{order,active,createdAt,parentNodeId}'::text[]))`;

/** Whether items that have not changed since are written otherwise now. */
export async function areRewrittenSince(db: Db, siteId: number, { position, n }: FeedPlace): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
       WHERE set.site_id = :siteId AND NOT set.preview AND (set.position IS NULL OR set.position > :last)
         AND (${REWRITES})) AS found`,
    { siteId, last: n === END_OF_SET ? position : position - 1 },
  );
  return rows[0]?.found ?? true;
}
