/** How many jobs of one site, of a type that has no place in its order, run at once: so that those of others find a worker. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import type { JobDispatch } from '../../../queues/outbox.js';
import { invariant } from '../../kernel/invariant.js';
import type { JobFacts } from '../job-type.js';

/** Sites looked at in one go. */
const BATCH = 200;

/** A type whose jobs are a single step, not more than `size` of one site at once. */
interface SiteWindow {
  readonly step: 'export' | 'replay';
  readonly size: number;
}

/** Null: any number of its jobs run. */
export function windowOf({ steps: [step], siteWindow }: Pick<JobFacts, 'steps' | 'siteWindow'>): SiteWindow | null {
  if (siteWindow === undefined || (step !== 'export' && step !== 'replay')) return null;
  return { step, size: siteWindow };
}

/** Whether one more job of the site may begin. Holds the site's lock to the end of the transaction. */
export async function hasRoom(
  trx: Knex.Transaction,
  { step, size }: SiteWindow,
  siteId: number,
  jobId: string,
): Promise<boolean> {
  await lockWindow(trx, siteId);
  const running = await trx('job')
    .where({ site_id: siteId, step })
    .whereNull('completed_at')
    .whereNotNull('started_at')
    .whereNot({ id: jobId })
    .count<{ count: string }[]>();
  return Number(running[0]?.count ?? 0) < size;
}

/**
 * Releases jobs that are held for others of their site, now that there is room.
 * @param siteId one site; null: every site (the reconciler)
 * @returns what to enqueue
 */
export async function releaseHeld(db: Db, window: SiteWindow, siteId: number | null): Promise<JobDispatch[]> {
  const held = db('job').where({ step: window.step }).whereNull('completed_at');
  if (siteId !== null) held.where({ site_id: siteId });
  // Sites that have no room are left alone: there may be any number of them, and each would be locked.
  const sites: { site_id: number }[] = await held
    .groupBy('site_id')
    .havingRaw('bool_or(dispatched_at IS NULL) AND count(dispatched_at) < ?', [window.size])
    .limit(BATCH)
    .select('site_id');
  const dispatches: JobDispatch[] = [];
  for (const site of sites) dispatches.push(...(await releaseOfSite(db, window, site.site_id)));
  return dispatches;
}

function releaseOfSite(db: Db, { step, size }: SiteWindow, siteId: number): Promise<JobDispatch[]> {
  return db.transaction(async (trx) => {
    await lockWindow(trx, siteId);
    // A job that begins at this moment has locked its row and looks for itself, once this transaction is through.
    const result = await trx.raw(
      `WITH taken AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS places FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL AND dispatched_at IS NULL
         ORDER BY created_at, id LIMIT greatest(0, :size - (SELECT places FROM taken))
         FOR UPDATE SKIP LOCKED
       )
       UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
       FROM due WHERE job.id = due.id
       RETURNING job.id, job.dispatch`,
      { siteId, size },
    );
    const released: number = result.rows.length;
    invariant(released <= size, `site ${siteId}`, () => `${released} jobs were released into a window of ${size}`);
    return result.rows.map(({ id, dispatch }: { id: string; dispatch: number }) => ({
      queue: step,
      payload: { jobId: id, dispatch },
    }));
  });
}

async function lockWindow(trx: Knex.Transaction, siteId: number): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.siteWindow, siteId]);
}
