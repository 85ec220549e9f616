/** Finds steps that should be on the queue and may not be, after a crash between commit and enqueue or after Redis lost its data. */
import type { Db } from '../../../../../db/connection.js';
import type { StepPayload } from '../../../../queues/define-queue.js';
import type { JobOutboxEntry, OutboxEntry } from '../../../../queues/outbox.js';
import { planStep } from '../../order/positions.js';
import { rowOfEntry } from '../../steps/step-row.js';
import { withSuspicion } from '../../steps/suspicion.js';

/** The steps with a fencing token in the job's row; `apply` has it in job_chunk, and `plan` in job_order. */
type StepOfJob = Exclude<JobOutboxEntry['queue'], 'apply' | 'plan'>;

/** The most rows that one statement reads. */
const BATCH = 500;
/** When a chunk that is on the queue was dispatched, else null. The index that is read has the same expression. */
const CHUNK_DUE = "(CASE WHEN status = 'dispatched' THEN dispatched_at END)";

/**
 * Loads the outbox entries that were due more than `graceMs` ago and are not done, oldest first. Plan steps are not
 * among them: reconcileOrders finds those.
 */
export async function overdueEntries(db: Db, graceMs: number): Promise<JobOutboxEntry[]> {
  const steps = await db.raw(
    `SELECT id, step, dispatch FROM job
     WHERE completed_at IS NULL AND step NOT IN ('plan', 'apply') AND dispatched_at < now() - ? * interval '1 millisecond'
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

/** Records that the queue still has these entries, so that the next run checks others first. Skips locked rows. */
export async function noteSeen(db: Db, outboxEntries: readonly JobOutboxEntry[]): Promise<void> {
  const chunks = outboxEntries.flatMap(({ queue, payload }) => (queue === 'apply' ? [payload] : []));
  const plans = outboxEntries.flatMap(({ queue, payload }) => (queue === 'plan' ? [payload] : []));
  const steps = outboxEntries.flatMap(({ queue, payload }) =>
    queue === 'apply' || queue === 'plan' ? [] : [{ ...payload, step: queue }],
  );
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
       SELECT held.id FROM jsonb_to_recordset(?::jsonb) AS seen ("jobId" text, step text, dispatch integer)
       CROSS JOIN LATERAL (
         SELECT id FROM job
         WHERE id = "jobId" COLLATE "C" AND step = seen.step AND dispatch = seen.dispatch AND completed_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held) AS free
     WHERE job.id = free.id`,
    [JSON.stringify(steps)],
  );
  await db.raw(
    `UPDATE job_order SET dispatched_at = now() FROM (
       SELECT held.* FROM jsonb_to_recordset(?::jsonb) AS seen ("jobId" text, dispatch integer)
       CROSS JOIN LATERAL (SELECT site_id, line_no FROM job WHERE id = "jobId" COLLATE "C" LIMIT 1) AS job
       CROSS JOIN LATERAL (
         SELECT site_id, position FROM job_order
         WHERE job_order.site_id = job.site_id AND position = job.line_no AND dispatch = seen.dispatch
           AND state IN ('q', 'r')
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held) AS free
     WHERE job_order.site_id = free.site_id AND job_order.position = free.position`,
    [JSON.stringify(plans)],
  );
}

/**
 * Renews an outbox entry that the queue has lost. A row that another transaction has locked is left alone.
 * @returns what to enqueue; null when there is nothing to do
 */
export function redispatchLost(db: Db, entry: JobOutboxEntry): Promise<JobOutboxEntry | null> {
  return db.transaction(async (trx) => {
    const row = await rowOfEntry(trx, entry).forNoKeyUpdate().skipLocked().first('dispatch');
    if (row === undefined) return null;
    const suspected = await withSuspicion(trx, entry);
    const dispatch = row.dispatch + 1;
    await rowOfEntry(trx, entry).update({ dispatch, dispatched_at: trx.fn.now() });
    return { ...suspected, payload: { ...suspected.payload, dispatch } } as JobOutboxEntry;
  });
}

/**
 * The plan step of a job that is in a step after it. It may execute that step inline: then the queue has it under the name
 * of the plan step.
 */
export async function planStepOf(db: Db, entry: JobOutboxEntry): Promise<JobOutboxEntry | null> {
  const { jobId } = entry.payload;
  if (entry.queue !== 'apply' && entry.queue !== 'apply-all' && entry.queue !== 'finish') return null;
  const place = db('job').where({ id: jobId }).select('site_id', 'line_no');
  const row = await db('job_order').whereIn(['site_id', 'position'], place).first('dispatch');
  return row === undefined ? null : { queue: 'plan', payload: { jobId, dispatch: row.dispatch } };
}

/** Like redispatchLost for the plan steps of small jobs. @returns what to enqueue */
export async function redispatchBatched(db: Db, steps: readonly StepPayload[]): Promise<OutboxEntry[]> {
  const result = await db.raw<{ rows: StepPayload[] }>(
    `UPDATE job_order SET dispatch = free.dispatch + 1, dispatched_at = now() FROM (
       SELECT held.* FROM jsonb_to_recordset(?::jsonb) AS lost ("jobId" text, dispatch integer)
       CROSS JOIN LATERAL (
         SELECT site_id, line_no FROM job WHERE id = "jobId" COLLATE "C" AND step = 'plan' AND completed_at IS NULL LIMIT 1
       ) AS job
       CROSS JOIN LATERAL (
         SELECT site_id, position, job_order.dispatch FROM job_order
         WHERE job_order.site_id = job.site_id AND position = job.line_no AND job_order.dispatch = lost.dispatch
           AND state IN ('q', 'r')
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held) AS free
     WHERE job_order.site_id = free.site_id AND job_order.position = free.position
     RETURNING job_order.job_id AS "jobId", job_order.dispatch`,
    [JSON.stringify(steps)],
  );
  return result.rows.map((step) => planStep(step, true));
}

/**
 * Takes the plan steps of small jobs out of their batches, under the same fencing tokens: whichever queue job runs first
 * executes them. Jobs that a transaction executes now are left alone.
 * @returns what to enqueue
 */
export async function dispatchSingly(db: Db, steps: readonly StepPayload[]): Promise<OutboxEntry[]> {
  if (steps.length === 0) return [];
  const result = await db.raw<{ rows: StepPayload[] }>(
    `UPDATE job_order SET batchable = false, dispatched_at = now() FROM (
       SELECT held.* FROM jsonb_to_recordset(?::jsonb) AS late ("jobId" text, dispatch integer)
       CROSS JOIN LATERAL (
         SELECT site_id, line_no FROM job
         WHERE id = "jobId" COLLATE "C" AND step = 'plan' AND completed_at IS NULL AND started_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job
       CROSS JOIN LATERAL (
         SELECT site_id, position FROM job_order
         WHERE job_order.site_id = job.site_id AND position = job.line_no AND job_order.dispatch = late.dispatch
           AND state = 'q' AND batchable
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held) AS free
     WHERE job_order.site_id = free.site_id AND job_order.position = free.position
     RETURNING job_order.job_id AS "jobId", job_order.dispatch`,
    [JSON.stringify(steps)],
  );
  return result.rows.map((step) => planStep(step, false));
}

/** Finds jobs between two steps: their chunks are done, and no worker has moved them on. */
export async function stuckJobs(db: Db): Promise<string[]> {
  const result = await db.raw(
    `SELECT id FROM job
     LEFT JOIN LATERAL (SELECT idx FROM job_chunk WHERE job_id = job.id AND status = 'dispatched' LIMIT 1) AS open ON true
     WHERE completed_at IS NULL AND step = 'apply' AND open.idx IS NULL
     LIMIT ${BATCH}`,
  );
  return result.rows.map((row: { id: string }) => row.id);
}
