/** Limits how many jobs of a single step run at once per site, so that those of other sites find a worker. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import type { JobOutboxEntry } from '../../../queues/outbox.js';
import { invariant } from '../../kernel/invariant.js';
import type { LoadedJob } from '../model/job-type.js';
import { isSingleStep, type SingleStep } from '../steps/single-steps.js';

/** The most sites that one call reads. */
const BATCH = 200;

/** The window of a job type of a single step: at most `size` jobs of one site run at once. */
interface SiteWindow {
  readonly step: SingleStep;
  readonly size: number;
}

/** Null when any number of jobs of the type may run. */
export function windowOf({
  steps: [step],
  siteWindow,
}: Pick<LoadedJob['jobType'], 'steps' | 'siteWindow'>): SiteWindow | null {
  if (siteWindow === undefined || !isSingleStep(step)) return null;
  return { step, size: siteWindow };
}

/** Whether one more job of the site may begin. The lock of the site's window is held to the end of the transaction. */
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
 * Releases held jobs where the window has room.
 * @param siteId one site; null for all sites (the reconciler)
 * @returns what to enqueue
 */
export async function releaseHeld(db: Db, window: SiteWindow, siteId: number | null): Promise<JobOutboxEntry[]> {
  const held = db('job').where({ step: window.step }).whereNull('completed_at');
  if (siteId !== null) held.where({ site_id: siteId });
  // Sites without room are left out: there may be any number of them, and each would be locked.
  const sites: { site_id: number }[] = await held
    .groupBy('site_id')
    .havingRaw('bool_or(dispatched_at IS NULL) AND count(dispatched_at) < ?', [window.size])
    .limit(BATCH)
    .select('site_id');
  const outboxEntries: JobOutboxEntry[] = [];
  for (const site of sites) outboxEntries.push(...(await releaseOfSite(db, window, site.site_id)));
  return outboxEntries;
}

function releaseOfSite(db: Db, { step, size }: SiteWindow, siteId: number): Promise<JobOutboxEntry[]> {
  return db.transaction(async (trx) => {
    await lockWindow(trx, siteId);
    // A job that begins at this moment has locked its row, and counts for itself after this transaction.
    const result = await trx.raw(
      `WITH running AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS jobs FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL AND dispatched_at IS NULL
         ORDER BY created_at, id LIMIT greatest(0, :size - (SELECT jobs FROM running))
         FOR UPDATE SKIP LOCKED
       )
       UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
       FROM due WHERE job.id = due.id
       RETURNING job.id, job.dispatch, (SELECT jobs::integer FROM running) AS running`,
      { siteId, size },
    );
    const entries: JobOutboxEntry[] = [];
    for (const { id, dispatch, running } of result.rows) {
      const inWindow = running + result.rows.length;
      const owner = `site ${siteId}`;
      invariant(inWindow <= size, owner, () => `${inWindow} jobs are on the queue at once, in a window of ${size}`);
      entries.push({ queue: step, payload: { jobId: id, dispatch } });
    }
    return entries;
  });
}

async function lockWindow(trx: Knex.Transaction, siteId: number): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.siteWindow, siteId]);
}
