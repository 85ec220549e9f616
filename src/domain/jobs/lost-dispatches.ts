/** Finds what should be on the queue and may not be: a crash between commit and enqueue, a flushed Redis, a job given up. */
import type { Db } from '../../../db/connection.js';
import type { JobDispatch } from '../../queues/dispatch.js';

/** The steps that a job takes as a whole; those of its chunks are `apply`. */
type StepOfJob = Exclude<JobDispatch['queue'], 'apply'>;

/** Rows looked at in one go. */
const BATCH = 500;
/** When a chunk that is on the queue was dispatched; null: it is not. As the index has it that they are read in order by. */
const CHUNK_DUE = "(CASE WHEN status = 'dispatched' THEN dispatched_at END)";

/** Dispatches that were due more than `graceMs` ago and are not done, longest ago first. */
export async function overdueDispatches(db: Db, graceMs: number): Promise<JobDispatch[]> {
  const steps = await db.raw(
    `SELECT id, step, dispatch FROM job
     WHERE completed_at IS NULL AND step <> 'apply' AND dispatched_at < now() - ? * interval '1 millisecond'
     ORDER BY dispatched_at LIMIT ${BATCH}`,
    [graceMs],
  );
  const chunks = await db.raw(
    `SELECT job_id, idx, dispatch FROM job_chunk
     WHERE ${CHUNK_DUE} < now() - ? * interval '1 millisecond'
     ORDER BY ${CHUNK_DUE} LIMIT ${BATCH}`,
    [graceMs],
  );
  return [
    ...steps.rows.map((row: { id: string; step: StepOfJob; dispatch: number }) => ({
      queue: row.step,
      payload: { jobId: row.id, dispatch: row.dispatch },
    })),
    ...chunks.rows.map((row: { job_id: string; idx: number; dispatch: number }) => ({
      queue: 'apply',
      payload: { jobId: row.job_id, chunk: row.idx, dispatch: row.dispatch },
    })),
  ];
}

/** What of a job the queue should have now, but for its plan. */
export async function presentDispatches(db: Db, jobId: string): Promise<JobDispatch[]> {
  const job = await db('job').where({ id: jobId }).whereNull('completed_at').first('step', 'dispatch');
  if (job === undefined || job.step === 'plan') return [];
  if (job.step !== 'apply') return [{ queue: job.step, payload: { jobId, dispatch: job.dispatch } }];
  const chunks = await db('job_chunk').where({ job_id: jobId, status: 'dispatched' }).select('idx', 'dispatch');
  return chunks.map(({ idx, dispatch }) => ({ queue: 'apply', payload: { jobId, chunk: idx, dispatch } }));
}

/** Notes that the queue has them after all, so that others are looked at first next time. Waits for nobody. */
export async function noteSeen(db: Db, dispatches: readonly JobDispatch[]): Promise<void> {
  const chunks = dispatches.flatMap(({ queue, payload }) => (queue === 'apply' ? [payload] : []));
  const steps = dispatches.flatMap(({ queue, payload }) => (queue === 'apply' ? [] : [{ ...payload, step: queue }]));
  await db.raw(
    `UPDATE job_chunk SET dispatched_at = now() FROM (
       SELECT held.* FROM jsonb_to_recordset(?::jsonb) AS seen ("jobId" text, chunk integer, dispatch integer)
       CROSS JOIN LATERAL (
         SELECT job_id, idx FROM job_chunk
         WHERE job_id = "jobId" COLLATE "C" AND idx = chunk AND dispatch = seen.dispatch AND status = 'dispatched'
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held) AS free
     WHERE job_chunk.job_id = free.job_id AND job_chunk.idx = free.idx`,
    [JSON.stringify(chunks)],
  );
  await db.raw(
    `UPDATE job SET dispatched_at = now() FROM (
       SELECT id FROM job
       JOIN jsonb_to_recordset(?::jsonb) AS seen ("jobId" text, step text, dispatch integer)
         ON id = "jobId" COLLATE "C" AND job.step = seen.step AND job.dispatch = seen.dispatch
       WHERE completed_at IS NULL FOR NO KEY UPDATE OF job SKIP LOCKED) AS free
     WHERE job.id = free.id`,
    [JSON.stringify(steps)],
  );
}

/**
 * Dispatches anew what the queue has lost. A row that is being worked on at this moment is left alone.
 * @returns what to enqueue; null when there is nothing to do after all
 */
export function redispatchLost(db: Db, dispatch: JobDispatch): Promise<JobDispatch | null> {
  return db.transaction(async (trx) => {
    const row = await rowOf(trx, dispatch).forNoKeyUpdate().skipLocked().first('dispatch');
    if (row === undefined) return null;
    const next = row.dispatch + 1;
    await rowOf(trx, dispatch).update({ dispatch: next, dispatched_at: trx.fn.now() });
    return { ...dispatch, payload: { ...dispatch.payload, dispatch: next } } as JobDispatch;
  });
}

/** The row that a dispatch stands for, while that dispatch counts. */
function rowOf(db: Db, dispatch: JobDispatch) {
  if (dispatch.queue === 'apply') {
    const { jobId, chunk, dispatch: number } = dispatch.payload;
    return db('job_chunk').where({ job_id: jobId, idx: chunk, dispatch: number, status: 'dispatched' });
  }
  const { jobId, dispatch: number } = dispatch.payload;
  return db('job').where({ id: jobId, step: dispatch.queue, dispatch: number }).whereNull('completed_at');
}

/** Jobs between two steps: their chunks are done, and nobody moved them on. */
export async function stuckJobs(db: Db): Promise<string[]> {
  const result = await db.raw(
    `SELECT id FROM job
     LEFT JOIN LATERAL (SELECT idx FROM job_chunk WHERE job_id = job.id AND status = 'dispatched' LIMIT 1) AS open ON true
     WHERE completed_at IS NULL AND step = 'apply' AND open.idx IS NULL
     LIMIT ${BATCH}`,
  );
  return result.rows.map((row: { id: string }) => row.id);
}
