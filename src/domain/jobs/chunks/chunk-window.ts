/** Dispatches chunks into the window of a job. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { checkWindow, type Dispatched, room, WINDOW } from './window.js';

/** The job that a window belongs to. */
interface WindowOwner {
  readonly id: string;
  readonly site_id: number;
  /** Its chunks have to be applied one at a time, in order. */
  readonly ordered: boolean;
}

/** Dispatches the first chunks of a job's pass. */
export async function openWindow(trx: Knex.Transaction, job: WindowOwner): Promise<OutboxEntry[]> {
  if (job.ordered) return dispatchNext(trx, job.id, 1);
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.chunkWindow, job.site_id]);
  return dispatchInRoom(trx, job);
}

/**
 * Dispatches what may follow a chunk that the transaction has applied: one in its place, and more if the job had less
 * than its window because its site used all of its own.
 */
export async function refillWindow(trx: Knex.Transaction, job: WindowOwner): Promise<OutboxEntry[]> {
  if (job.ordered || (await countDispatched(trx, job)).ofJob >= WINDOW.ofJob - 1) return dispatchNext(trx, job.id, 1);
  const lock = await trx.raw('SELECT pg_try_advisory_xact_lock(?, ?) AS held', [
    ADVISORY_LOCKS.chunkWindow,
    job.site_id,
  ]);
  // Another job of the site fills its window at this moment; the place of the chunk just applied is still ours.
  if (!lock.rows[0].held) return dispatchNext(trx, job.id, 1);
  return dispatchInRoom(trx, job);
}

async function dispatchInRoom(trx: Knex.Transaction, job: WindowOwner): Promise<OutboxEntry[]> {
  const before = await countDispatched(trx, job);
  const next = await dispatchNext(trx, job.id, room(before));
  checkWindow(job.id, before, next.length);
  return next;
}

async function countDispatched(trx: Knex.Transaction, { id, site_id: siteId }: WindowOwner): Promise<Dispatched> {
  // Counted per job: with a plain join Postgres could read all chunks on the queue, those of other sites too.
  const result = await trx.raw(
    `SELECT coalesce(sum(open.chunks) FILTER (WHERE job.id = ?), 0)::integer AS of_job,
            coalesce(sum(open.chunks), 0)::integer AS of_site
     FROM job CROSS JOIN LATERAL (
       SELECT count(*) AS chunks FROM job_chunk WHERE job_id = job.id AND status = 'dispatched') AS open
     WHERE job.site_id = ? AND job.step = 'apply' AND job.completed_at IS NULL`,
    [id, siteId],
  );
  const [{ of_job: ofJob, of_site: ofSite }] = result.rows;
  return { ofJob, ofSite };
}

/** Dispatches a job's next pending chunks, in order. */
async function dispatchNext(trx: Knex.Transaction, jobId: string, count: number): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `WITH next AS (
       SELECT job_id, idx FROM job_chunk WHERE job_id = ? AND status = 'pending' ORDER BY idx LIMIT ? FOR UPDATE SKIP LOCKED
     )
     UPDATE job_chunk SET status = 'dispatched', dispatch = dispatch + 1, dispatched_at = now()
     FROM next WHERE job_chunk.job_id = next.job_id AND job_chunk.idx = next.idx
     RETURNING job_chunk.idx, job_chunk.dispatch`,
    [jobId, count],
  );
  return result.rows.map(({ idx, dispatch }: { idx: number; dispatch: number }) => ({
    queue: 'apply',
    payload: { jobId, chunk: idx, dispatch },
  }));
}
