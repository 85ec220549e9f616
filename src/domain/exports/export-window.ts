/** How many exports of one site run at once, so that those of others find a worker. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/dispatch.js';

/** Exports of one site at once; a worker process runs more than these by default. */
const SITE_WINDOW = 2;
/** Namespace of the advisory locks under which a site's exports are counted: two who did so at once would both find room. */
const WINDOW_LOCK = 0x65787077;
/** Sites looked at in one go. */
const BATCH = 200;

/** Whether one more export of the site may begin. Holds the site's lock to the end of the transaction. */
export async function hasRoom(trx: Knex.Transaction, siteId: number, jobId: string): Promise<boolean> {
  await lockWindow(trx, siteId);
  const running = await trx('job')
    .where({ site_id: siteId, step: 'export' })
    .whereNull('completed_at')
    .whereNotNull('started_at')
    .whereNot({ id: jobId })
    .count<{ count: string }[]>();
  return Number(running[0]?.count ?? 0) < SITE_WINDOW;
}

/**
 * Takes up exports that wait for others of their site, now that there is room.
 * @param siteId one site; null: every site (the reconciler)
 * @returns what to enqueue
 */
export async function takeUpExports(db: Db, siteId: number | null): Promise<Dispatch[]> {
  const query = db('job').where({ step: 'export' }).whereNull('completed_at');
  if (siteId !== null) query.where({ site_id: siteId });
  // Sites that have no room are left alone: there may be any number of them, and each would be locked.
  const sites: { site_id: number }[] = await query
    .groupBy('site_id')
    .havingRaw('bool_or(dispatched_at IS NULL) AND count(dispatched_at) < ?', [SITE_WINDOW])
    .limit(BATCH)
    .select('site_id');
  const dispatches: Dispatch[] = [];
  for (const site of sites) dispatches.push(...(await takeUpOfSite(db, site.site_id)));
  return dispatches;
}

function takeUpOfSite(db: Db, siteId: number): Promise<Dispatch[]> {
  return db.transaction(async (trx) => {
    await lockWindow(trx, siteId);
    // Who begins at this moment has locked its row and looks for itself, once this transaction is through.
    const result = await trx.raw(
      `WITH taken AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS places FROM job
         WHERE site_id = :siteId AND step = 'export' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE site_id = :siteId AND step = 'export' AND completed_at IS NULL AND dispatched_at IS NULL
         ORDER BY created_at, id LIMIT greatest(0, ${SITE_WINDOW} - (SELECT places FROM taken))
         FOR UPDATE SKIP LOCKED
       )
       UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
       FROM due WHERE job.id = due.id
       RETURNING job.id, job.dispatch`,
      { siteId },
    );
    return result.rows.map(({ id, dispatch }: { id: string; dispatch: number }) => ({
      queue: 'export',
      payload: { jobId: id, dispatch },
    }));
  });
}

async function lockWindow(trx: Knex.Transaction, siteId: number): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [WINDOW_LOCK, siteId]);
}
