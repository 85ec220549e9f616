/**
 * Gives the sets of changes of a site their positions in its feed, after they have been committed. A position that is
 * given is never below one that a reader has seen, however long the transaction of the set has taken, and nobody waits for
 * a transaction that is still open.
 */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';

/** How many sets are numbered in one transaction. */
const BATCH = 5_000;

/** Numbers all sets of a site that are committed now. Two calls for one site take turns. */
export async function numberChanges(db: Db, siteId: number): Promise<void> {
  for (let numbered = BATCH; numbered === BATCH; ) {
    if (!(await hasOpen(db, siteId))) return;
    numbered = await withRetries(db, async (trx) => {
      await trx.raw('INSERT INTO change_feed (site_id) VALUES (?) ON CONFLICT DO NOTHING', [siteId]);
      await trx.raw('SELECT FROM change_feed WHERE site_id = ? FOR UPDATE', [siteId]);
      // A statement of its own, which sees what was committed while the one before waited.
      const result = await trx.raw<{ rows: { numbered: number }[] }>(NUMBER, { siteId });
      return result.rows[0]?.numbered ?? 0;
    });
  }
}

/** The sites with sets that have no position yet. */
export async function sitesWithOpenChanges(db: Db): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { site_id: number }[] }>(
    'SELECT DISTINCT site_id FROM change_set WHERE position IS NULL AND NOT preview',
  );
  return rows.map(({ site_id: siteId }) => siteId);
}

async function hasOpen(db: Db, siteId: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    'SELECT FROM change_set WHERE site_id = ? AND position IS NULL AND NOT preview LIMIT 1',
    [siteId],
  );
  return rows.length > 0;
}

/** In the order of their ids: of two sets that change the same item, the later one has the higher id. */
const NUMBER = `
  WITH open AS MATERIALIZED (
    SELECT id, at FROM change_set WHERE site_id = :siteId AND position IS NULL AND NOT preview ORDER BY id LIMIT ${BATCH}
  ), given AS MATERIALIZED (
    SELECT id, at, last_position + row_number() OVER (ORDER BY id) AS position
    FROM open CROSS JOIN (SELECT last_position FROM change_feed WHERE site_id = :siteId) AS feed
  ), numbered AS (
    UPDATE change_set SET position = given.position, numbered_at = clock_timestamp()
    FROM given WHERE change_set.id = given.id AND change_set.at = given.at AND change_set.site_id = :siteId
      AND change_set.position IS NULL
  ), feed AS (
    UPDATE change_feed SET last_position = greatest(last_position, (SELECT max(position) FROM given))
    WHERE site_id = :siteId AND EXISTS (SELECT FROM given)
  )
  SELECT count(*)::integer AS numbered FROM given`;
