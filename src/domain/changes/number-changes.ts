/**
 * Gives the sets of changes of a site their positions in its feed, after they have been committed. A position that is
 * given is never below one that a reader has seen, however long the transaction of the set has taken, and nobody waits for
 * a transaction that is still open.
 */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';

/** How many sets are numbered in one transaction. */
const BATCH = 5_000;
/** Of how many sites. */
const SITES = 500;

/** Numbers all sets of a site that are committed now. Two calls for one site take turns. */
export async function numberChanges(db: Db, siteId: number): Promise<void> {
  for (let numbered = BATCH; numbered === BATCH; ) {
    if (!(await hasOpen(db, siteId))) return;
    numbered = await numberSome(db, [siteId]);
  }
}

/**
 * Numbers the sets of all sites that are committed now, so that the time of a position is near that of its commit.
 * @param progress is called after each transaction
 */
export async function numberAllChanges(db: Db, progress: () => void): Promise<void> {
  for (let numbered = BATCH; numbered > 0; progress()) {
    const sites = await sitesWithOpenChanges(db);
    numbered = sites.length === 0 ? 0 : await numberSome(db, sites);
    // Less than there was room for: what comes meanwhile is numbered in the next round.
    if (numbered < BATCH && sites.length < SITES) return;
  }
}

/** @returns how many sets have got a position */
function numberSome(db: Db, siteIds: readonly number[]): Promise<number> {
  const sites = [...siteIds].sort((one, other) => one - other);
  return withRetries(db, async (trx) => {
    await trx.raw('INSERT INTO change_feed (site_id) SELECT unnest(?::integer[]) ON CONFLICT DO NOTHING', [sites]);
    await trx.raw('SELECT FROM change_feed WHERE site_id = ANY (?) ORDER BY site_id FOR UPDATE', [sites]);
    // A statement of its own, which sees what was committed while the one before waited.
    const result = await trx.raw<{ rows: { numbered: number }[] }>(NUMBER, { sites });
    return result.rows[0]?.numbered ?? 0;
  });
}

async function sitesWithOpenChanges(db: Db): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { site_id: number }[] }>(
    `SELECT DISTINCT site_id FROM change_set WHERE position IS NULL AND NOT preview LIMIT ${SITES}`,
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

/**
 * In the order of their ids: of two sets that change the same item, the later one has the higher id. The update names the
 * conditions of the index of open sets, by which alone a set is found by its id.
 */
const NUMBER = `
  WITH open AS MATERIALIZED (
    SELECT id, at, site_id FROM change_set WHERE site_id = ANY (:sites) AND position IS NULL AND NOT preview
    ORDER BY id LIMIT ${BATCH}
  ), given AS MATERIALIZED (
    SELECT id, at, open.site_id, last_position + row_number() OVER (PARTITION BY open.site_id ORDER BY id) AS position
    FROM open JOIN change_feed AS feed ON feed.site_id = open.site_id
  ), numbered AS (
    UPDATE change_set SET position = given.position, numbered_at = clock_timestamp()
    FROM given WHERE change_set.site_id = given.site_id AND change_set.id = given.id AND change_set.at = given.at
      AND change_set.position IS NULL AND NOT change_set.preview
  ), feed AS (
    UPDATE change_feed SET last_position = last.position
    FROM (SELECT site_id, max(position) AS position FROM given GROUP BY site_id) AS last
    WHERE change_feed.site_id = last.site_id
  )
  SELECT count(*)::integer AS numbered FROM given`;
