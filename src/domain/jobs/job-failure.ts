/** What becomes of a step that failed by our own fault: tried again after a while, and at last given up. */

import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import { backoffMs, STEP_BACKOFF } from '../../platform/backoff.js';
import type { Dispatch } from '../../queues/outbox.js';
import { dispatchFinish } from './advance-job.js';
import { lockPlanStep } from './begin-job.js';
import { endJob } from './end-job.js';
import { summariseErrors } from './job-errors.js';
import { sumCounts } from './sum-counts.js';
import { isDryRun, isWholeJob, recordNothingApplied } from './whole-job.js';

/** Attempts of one step before its job is FAILED. */
const MAX_ATTEMPTS = 8;

/** What to enqueue, and when; `ended`: the job ended here. */
export interface FailureDecision {
  readonly dispatches: Dispatch[];
  readonly delayMs: number;
  readonly ended: boolean;
}

const NOTHING: FailureDecision = { dispatches: [], delayMs: 0, ended: false };

/** Records that a step of a whole job failed. A step that another dispatch has taken over is left alone. */
export function recordStepFailure(
  db: Db,
  { jobId, dispatch }: { readonly jobId: string; readonly dispatch: number },
): Promise<FailureDecision> {
  return withRetries(db, async (trx) => {
    const job = await lockStep(trx, jobId, dispatch);
    if (job === undefined || job.step === null || job.step === 'apply') return NOTHING;
    const attempts = job.attempts + 1;
    if (attempts >= MAX_ATTEMPTS) {
      if (job.kind === 'export') await giveUpWhole(trx, jobId, 'we could not write the file; ask for the export again');
      else if (job.kind === 'replay') await giveUpWhole(trx, jobId, 'we could not replay all; ask for the rest again');
      else await giveUp(trx, job);
      return { dispatches: [], delayMs: 0, ended: true };
    }
    const delayMs = backoffMs(STEP_BACKOFF, attempts);
    const next =
      job.step === 'plan'
        ? await planAgain(trx, job, attempts, delayMs)
        : await redispatch(trx, trx('job').where({ id: jobId }), attempts, delayMs);
    return { dispatches: [{ queue: job.step, payload: { jobId, dispatch: next } }], delayMs, ended: false };
  });
}

/** Locks the row of a job whose step failed, unless the dispatch no longer counts. */
async function lockStep(trx: Knex.Transaction, jobId: string, dispatch: number): Promise<Job | undefined> {
  const job: Job | undefined = await trx('job').where({ id: jobId }).whereNull('completed_at').forNoKeyUpdate().first();
  if (job?.step === 'plan') return lockPlanStep(trx, jobId, dispatch);
  return job?.dispatch === dispatch ? job : undefined;
}

/** The plan step has its fencing token in the site's order. @returns the next */
async function planAgain(trx: Knex.Transaction, job: Job, attempts: number, delayMs: number): Promise<number> {
  await trx('job').where({ id: job.id }).update({ attempts });
  const [entry] = await trx('job_order')
    .where({ site_id: job.site_id, position: job.line_no })
    .update({
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
    })
    .returning('dispatch');
  return entry.dispatch;
}

/** Records that a chunk failed; the last attempt turns its job to a finish as FAILED. */
export function recordChunkFailure(
  db: Db,
  { jobId, chunk, dispatch }: { readonly jobId: string; readonly chunk: number; readonly dispatch: number },
): Promise<FailureDecision> {
  return withRetries(db, async (trx) => {
    const job = await trx('job').where({ id: jobId, step: 'apply' }).forNoKeyUpdate().first();
    const row = await trx('job_chunk')
      .where({ job_id: jobId, idx: chunk, dispatch, status: 'dispatched' })
      .forNoKeyUpdate()
      .first();
    if (job === undefined || row === undefined) return NOTHING;
    const attempts = row.attempts + 1;
    if (attempts >= MAX_ATTEMPTS) {
      await trx('job').where({ id: jobId }).update({ reason: 'INTERNAL_ERROR' });
      return { dispatches: [await dispatchFinish(trx, jobId)], delayMs: 0, ended: false };
    }
    const delayMs = backoffMs(STEP_BACKOFF, attempts);
    const next = await redispatch(trx, trx('job_chunk').where({ job_id: jobId, idx: chunk }), attempts, delayMs);
    return { dispatches: [{ queue: 'apply', payload: { jobId, chunk, dispatch: next } }], delayMs, ended: false };
  });
}

async function giveUpWhole(trx: Knex.Transaction, jobId: string, statusMessage: string): Promise<void> {
  await endJob(trx, jobId, { status: 'FAILED', reason: 'INTERNAL_ERROR', statusMessage });
}

/** What was applied stays, and is counted. */
async function giveUp(trx: Knex.Transaction, job: Job): Promise<void> {
  const jobId = job.id;
  const undone = isWholeJob(job) && (job.step !== 'finish' || isDryRun(job));
  if (undone) await recordNothingApplied(trx, jobId);
  const counts = await sumCounts(trx, jobId);
  const applied = counts.created + counts.updated + counts.unchanged;
  await endJob(trx, jobId, {
    status: 'FAILED',
    reason: 'INTERNAL_ERROR',
    statusMessage: undone
      ? 'we could not carry the job out; nothing of it was applied, send it again'
      : `we could not carry the job out; the ${applied} rows applied before stay, send it again to apply the rest`,
    counts,
    errorSummary: counts.failed > 0 ? await summariseErrors(trx, jobId) : undefined,
  });
}

async function redispatch(
  trx: Knex.Transaction,
  row: Knex.QueryBuilder,
  attempts: number,
  delayMs: number,
): Promise<number> {
  const [updated] = await row
    .update({
      attempts,
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
    })
    .returning('dispatch');
  return updated.dispatch;
}
