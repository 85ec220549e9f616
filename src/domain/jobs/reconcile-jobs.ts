/**
 * Finds jobs that should be on the queue and may not be, after a crash between commit and enqueue or after Redis lost
 * its data; and finds and deletes old jobs.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { placeUnplacedJobs } from './accept-job.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import {
  ENDS_AT,
  isSuspect,
  releaseDue,
  releaseOneStep,
  rowOfEntry,
  type StepPayload,
  suspectStep,
  suspicionOf,
} from './job-steps.js';
import type { JobTypes } from './job-type.js';
import { loadFronts, planStep, removeEnded, type SiteFront, sweep } from './order/site-order.js';
import { dueOf } from './order/turns.js';

export { allUnreferredJobs, repairUnreferred, UnreferredJobs } from './order/unreferred-jobs.js';

/** The steps with a fencing token in the job's row; `apply` has it in job_chunk, and `plan` in job_order. */
type StepOfJob = Exclude<JobOutboxEntry['queue'], 'apply' | 'plan'>;

/** The most rows that one statement reads. */
const BATCH = 500;
/** When a chunk that is on the queue was dispatched, else null. The index that is read has the same expression. */
const CHUNK_DUE = "(CASE WHEN status = 'dispatched' THEN dispatched_at END)";
/** The most jobs without a position that one run of the reconciler places. */
const UNPLACED = 500;
/** Sites whose fronts one statement reads. */
const SITES = 500;

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
 * @param suspect whether the step may have ended a worker, which is not recorded yet
 * @returns what to enqueue; null when there is nothing to do
 */
export function redispatchLost(db: Db, entry: JobOutboxEntry, suspect = false): Promise<JobOutboxEntry | null> {
  return db.transaction(async (trx) => {
    const row = await rowOfEntry(trx, entry).forNoKeyUpdate().skipLocked().first('dispatch');
    if (row === undefined) return null;
    if (suspect) await suspectStep(trx, entry);
    const suspicion = suspicionOf(suspect || (await isSuspect(trx, entry)));
    const next = row.dispatch + 1;
    await rowOfEntry(trx, entry).update({ dispatch: next, dispatched_at: trx.fn.now() });
    return { ...entry, payload: { ...entry.payload, dispatch: next, ...suspicion } } as JobOutboxEntry;
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

/** Places unplaced jobs, and releases held jobs of a single step, in all sites. @returns what to enqueue */
export async function releaseLost(db: Db, types: JobTypes): Promise<OutboxEntry[]> {
  const outboxEntries: OutboxEntry[] = await placeUnplacedJobs(db, null, UNPLACED);
  for (const type of Object.values(types)) outboxEntries.push(...(await releaseOneStep(db, type, null)));
  return outboxEntries;
}

/** What the reconciler finds in the ordering queue of one site. */
interface SiteEntries {
  /** Released jobs to enqueue. */
  readonly due: OutboxEntry[];
  /** Plan steps that have been due for so long that the queue may have lost them. */
  readonly overdue: JobOutboxEntry[];
  /** The same of small jobs, which share queue jobs. */
  readonly overdueBatched: BatchedStep[];
}

/** The plan step of a small job. */
export interface BatchedStep {
  readonly payload: StepPayload;
  readonly dispatchedAt: Date;
}

/**
 * Goes through the ordering queues of all sites that have jobs, and sweeps them. It reads only the front of each: jobs
 * behind it are enqueued when their turn comes.
 * @param graceMs how long a plan step may have been due before it is overdue
 */
export async function* reconcileOrders(db: Db, graceMs: number): AsyncGenerator<SiteEntries> {
  for (let after = 0; ; ) {
    const sites = await loadFronts(db, after, SITES, graceMs);
    for (const site of sites) yield await reconcileSite(db, site);
    const last = sites.at(-1);
    if (last === undefined) return;
    const siteIds = sites.map(({ siteId }) => siteId);
    await sweep(db, siteIds);
    if (sites.length < SITES) return;
    after = last.siteId;
  }
}

async function reconcileSite(db: Db, { siteId, front }: SiteFront): Promise<SiteEntries> {
  const ended = front.filter(({ hasEnded }) => hasEnded);
  if (ended.length > 0) {
    const positions = ended.map(({ position }) => position);
    await removeEnded(db, siteId, positions);
  }
  const due = ended.length > 0 || dueOf(front).length > 0 ? await releaseDue(db, siteId) : [];
  const overdue: JobOutboxEntry[] = [];
  const overdueBatched: BatchedStep[] = [];
  for (const entry of front) {
    if (!entry.overdue || !entry.inPlan || entry.hasEnded || entry.state === 'h') continue;
    const payload = { jobId: entry.jobId, dispatch: entry.dispatch };
    if (entry.batchable) overdueBatched.push({ payload, dispatchedAt: entry.dispatchedAt });
    else overdue.push({ queue: 'plan', payload });
  }
  return { due, overdue, overdueBatched };
}

/**
 * Ends jobs whose file was never uploaded as EXPIRED; they never had a position in the ordering queue. The job is
 * locked before the file, in the same order as when an upload is completed or cancelled.
 * @returns the jobs that ended; call followEnd for each
 */
export function expireUploads(db: Db): Promise<string[]> {
  return db.transaction(expireBatch);
}

async function expireBatch(trx: Knex.Transaction): Promise<string[]> {
  const expired = await trx.raw<{ rows: (Subscribers & { id: string })[] }>(
    `WITH due AS (
       SELECT job.id, job.input_file_id FROM file JOIN job ON job.input_file_id = file.id
       WHERE file.status = 'AWAITING_UPLOAD' AND file.expires_at < now() AND file.look_at IS NULL
         AND job.status = 'AWAITING_UPLOAD'
       LIMIT ${BATCH} FOR UPDATE OF job SKIP LOCKED
     ), late AS (
       UPDATE file SET status = 'EXPIRED' FROM due
       WHERE file.id = due.input_file_id AND file.status = 'AWAITING_UPLOAD' AND file.expires_at < now()
         AND file.look_at IS NULL
       RETURNING due.id
     )
     UPDATE job SET status = 'EXPIRED', completed_at = ${ENDS_AT}, updated_at = now(), step = NULL,
       status_message = 'the file was not uploaded in time; announce it again to get a new URL'
     FROM late WHERE job.id = late.id RETURNING job.id, ${SUBSCRIBERS}`,
  );
  for (const { id, ...subscribers } of expired.rows) await emitJobEnd(trx, id, subscribers);
  return expired.rows.map(({ id }) => id);
}

/** A job whose retention has ended. */
interface OldJob {
  readonly id: string;
  /** File store keys that it may have written in addition to its recorded files. */
  readonly storedKeys: readonly string[];
}

/** Finds a batch of the jobs that ended more than so many days ago. */
export async function findOldJobs(db: Db, types: JobTypes, retentionDays: number): Promise<OldJob[]> {
  const jobs: Pick<JobRow, 'id' | 'plan' | 'kind'>[] = await db('job')
    .whereRaw("completed_at < now() - ? * interval '1 day'", [retentionDays])
    // A retried job before its retry, to which their file belongs.
    .orderBy('completed_at')
    .limit(BATCH)
    .select('id', 'plan', 'kind');
  return jobs.map((job) => ({ id: job.id, storedKeys: types[job.kind]?.storedKeys(job) ?? [] }));
}

/** Deletes jobs with their chunks, their errors and the rows of their files. */
export async function deleteJobs(db: Db, ids: readonly string[], fileIds: readonly string[]): Promise<void> {
  await db.transaction(async (trx) => {
    await trx('job')
      .whereIn('id', [...ids])
      .delete();
    await trx('file')
      .whereIn('id', [...fileIds])
      .delete();
  });
}

/** Deletes the suspicions of steps whose jobs have ended. A job that has FAILED may be retried, and keeps them. */
export async function pruneSuspects(db: Db): Promise<void> {
  await db.raw(
    `DELETE FROM suspect_step USING job
     WHERE job.id = suspect_step.job_id AND job.completed_at IS NOT NULL AND job.status <> 'FAILED'`,
  );
}
