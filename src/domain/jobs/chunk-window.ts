/** How many chunks of a job are on the queue at once: enough to keep workers busy, few enough to be fair. */
import type { Knex } from 'knex';
import type { Dispatch } from '../../queues/dispatch.js';

/** Chunks of one job on the queue at once. */
const JOB_WINDOW = 6;
/** Chunks of one site on the queue at once, but for one that every job may have. */
const SITE_WINDOW = 12;

/** Dispatches the first chunks of a job's wave. @param ordered chunks have to follow one another: one at a time */
export async function openWindow(
  trx: Knex.Transaction,
  jobId: string,
  siteId: number,
  ordered: boolean,
): Promise<Dispatch[]> {
  if (ordered) return dispatchNext(trx, jobId, 1);
  const result = await trx.raw(
    `SELECT count(*)::integer AS used FROM job JOIN job_chunk ON job_chunk.job_id = job.id
     WHERE job.site_id = ? AND job.step = 'apply' AND job.completed_at IS NULL AND job_chunk.status = 'dispatched'`,
    [siteId],
  );
  const free = SITE_WINDOW - result.rows[0].used;
  return dispatchNext(trx, jobId, Math.max(1, Math.min(JOB_WINDOW, free)));
}

/** Dispatches a job's next pending chunks, in order. */
export async function dispatchNext(trx: Knex.Transaction, jobId: string, count: number): Promise<Dispatch[]> {
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
