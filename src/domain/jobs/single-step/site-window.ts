/** Limits how many jobs of a single step run at once per site or account, so that those of others find a worker. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import type { JobOutboxEntry } from '../../../queues/outbox.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { invariant } from '../../kernel/invariant.js';
import { isSingleStep, type SingleStep } from '../steps/single-steps.js';

/** The most sites or accounts that one call reads. */
const BATCH = 200;

/** The window of a job type of a single step: at most `size` jobs of one site, or of one account, run at once. */
interface Window {
  readonly step: SingleStep;
  readonly size: number;
  readonly of: 'site' | 'account';
}

/** SQL: whose jobs are in a window, and the second key of its lock; each is found by one of its sites. */
const OWNERS = {
  site: { column: 'site_id', jobs: 'site_id = :siteId', lock: ':siteId' },
  account: {
    column: 'account_id',
    jobs: 'account_id = (SELECT account_id FROM site WHERE site.id = :siteId)',
    lock: '(SELECT hashtext(account_id) FROM site WHERE site.id = :siteId)',
  },
} as const;

type Windowed = Pick<LoadedJob['jobType'], 'steps' | 'siteWindow' | 'accountWindow'>;

/** Null when any number of jobs of the type may run. */
export function windowOf({ steps: [step], siteWindow, accountWindow }: Windowed): Window | null {
  const size = siteWindow ?? accountWindow;
  if (size === undefined || !isSingleStep(step)) return null;
  return { step, size, of: siteWindow === undefined ? 'account' : 'site' };
}

/** Whether one more job of the site may begin. The lock of the window is held to the end of the transaction. */
export async function hasRoom(trx: Knex.Transaction, window: Window, siteId: number, jobId: string): Promise<boolean> {
  const { step, size, of } = window;
  await lockWindow(trx, window, siteId);
  const running = await trx('job')
    .where({ step })
    .whereRaw(OWNERS[of].jobs, { siteId })
    .whereNull('completed_at')
    .whereNotNull('started_at')
    .whereNot({ id: jobId })
    .count<{ count: string }[]>();
  return Number(running[0]?.count ?? 0) < size;
}

/**
 * Releases jobs of a single step that are held until other jobs of their site or account end, where the window has room.
 * @param siteId one site; null for all sites (the reconciler)
 * @returns what to enqueue
 */
export async function releaseHeld(db: Db, jobType: Windowed, siteId: number | null): Promise<JobOutboxEntry[]> {
  const window = windowOf(jobType);
  if (window === null) return [];
  const { step, size, of } = window;
  const held = db('job').where({ step }).whereNull('completed_at');
  if (siteId !== null) held.whereRaw(OWNERS[of].jobs, { siteId });
  // Windows without room are left out: there may be any number of them, and each would be locked.
  const sites: { site_id: number }[] = await held
    .groupBy(OWNERS[of].column)
    .havingRaw('bool_or(dispatched_at IS NULL) AND count(dispatched_at) < ?', [size])
    .limit(BATCH)
    .select(db.raw('min(site_id) AS site_id'));
  const outboxEntries: JobOutboxEntry[] = [];
  for (const site of sites) outboxEntries.push(...(await releaseInto(db, window, site.site_id)));
  return outboxEntries;
}

function releaseInto(db: Db, window: Window, siteId: number): Promise<JobOutboxEntry[]> {
  const { step, size, of } = window;
  return db.transaction(async (trx) => {
    await lockWindow(trx, window, siteId);
    // A job that begins at this moment has locked its row, and counts for itself after this transaction.
    const result = await trx.raw(
      `WITH running AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS jobs FROM job
         WHERE ${OWNERS[of].jobs} AND step = '${step}' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE ${OWNERS[of].jobs} AND step = '${step}' AND completed_at IS NULL AND dispatched_at IS NULL
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
      const owner = `the ${of} of site ${siteId}`;
      invariant(inWindow <= size, owner, () => `${inWindow} jobs are on the queue at once, in a window of ${size}`);
      entries.push({ queue: step, payload: { jobId: id, dispatch } });
    }
    return entries;
  });
}

async function lockWindow(trx: Knex.Transaction, { of }: Window, siteId: number): Promise<void> {
  await trx.raw(`SELECT pg_advisory_xact_lock(:key, ${OWNERS[of].lock})`, { key: ADVISORY_LOCKS.siteWindow, siteId });
}
