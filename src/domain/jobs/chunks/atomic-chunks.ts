/** Chunks of atomic jobs, whose rows are applied in one transaction beside which they are recorded. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../../db/advisory-locks.js';
import { besides } from '../../../../db/besides.js';
import type { Db } from '../../../../db/connection.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { type ChunkResult, OUTCOME } from '../../outcomes/model/chunk-result.js';
import { deleteErrors, explainRecorded } from '../../outcomes/record-errors.js';
import { PATIENCE_MS, withoutSteps } from '../failure/stop-steps.js';
import { type AppliedChunk, recordChunk } from './record-chunk.js';

/** The transaction of a cancelled atomic job is undone in any case. */
const NO_PATIENCE_MS = 1;

/**
 * Waits until no other worker executes the job: one with the same fencing token, or with the previous one, whose
 * transaction is still rolling back. The lock is held to the end of the transaction, which must take it first.
 */
export async function lockAtomicJob(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw(
    `SELECT ${stepMark(':jobId')}, pg_advisory_xact_lock(hashtextextended(:jobId, ${ADVISORY_LOCKS.atomicJob}))`,
    { jobId },
  );
}

/**
 * Deletes what an earlier attempt at an atomic job has recorded outside of its transaction.
 * @returns its chunks in order; null when the fencing token is no longer current
 */
export function beginAtomic(db: Db, payload: StepPayload): Promise<number[] | null> {
  return recordWhileDue(db, payload, async (trx) => {
    await deleteErrors(trx, [payload.jobId]);
    await trx('job_chunk').where({ job_id: payload.jobId }).whereNot({ status: 'pending' }).update({
      status: 'pending',
      outcomes: null,
      created_count: 0,
      updated_count: 0,
      unchanged_count: 0,
      error_count: 0,
      done_at: null,
      warnings: null,
    });
    return trx('job_chunk').where({ job_id: payload.jobId }).orderBy('idx').pluck('idx');
  });
}

/**
 * Records a chunk that an atomic job has applied, outside of the job's transaction: progress survives a rollback.
 * @returns how many of its rows are deferred to another pass; null when the fencing token is no longer current
 */
export function recordBeside(
  db: Db,
  payload: StepPayload,
  chunk: AppliedChunk,
  result: ChunkResult,
): Promise<number | null> {
  return recordWhileDue(db, payload, (trx) => recordChunk(trx, chunk, result));
}

/**
 * Records something outside of the job's own transaction, if the fencing token is current.
 * @returns null if it is not: the job was cancelled, has failed, or was enqueued again
 */
function recordWhileDue<T>(
  db: Db,
  { jobId, dispatch }: StepPayload,
  record: (trx: Knex.Transaction) => Promise<T>,
): Promise<T | null> {
  return besides(db, async (trx) => {
    // A cancellation waits for this lock, or is visible here: nothing is recorded after it.
    const due = await trx('job')
      .where({ id: jobId, step: 'apply-all', dispatch })
      .forShare()
      .first('id', trx.raw(stepMark('job.id')));
    return due === undefined ? null : record(trx);
  });
}

/**
 * Records that nothing of the jobs was applied: only the outcomes of failed and duplicate rows remain, and warnings are
 * about applied rows.
 */
export async function recordNothingApplied(trx: Db, ...jobIds: readonly string[]): Promise<void> {
  await trx('job_chunk')
    .whereIn('job_id', jobIds)
    .whereNotNull('outcomes')
    .update({
      outcomes: trx.raw("regexp_replace(outcomes, ?, ?, 'g')", [
        `[^${OUTCOME.failed}${OUTCOME.duplicate}]`,
        OUTCOME.deferred,
      ]),
      created_count: 0,
      updated_count: 0,
      unchanged_count: 0,
      warnings: null,
    });
}

/**
 * Waits for chunks whose transaction is running, and cancels those that never began. After a cancellation, transactions
 * that do not commit soon are ended, and none of an atomic job can commit any more: their chunks are cancelled as well.
 * Then the outcome of every row is known, and with it what superseded rows have to say.
 * @param hasStepAfter whether a step follows the chunks of the job, whose transaction is waited for as well
 */
export async function closeChunks(
  db: Db,
  job: Pick<LoadedJob, 'id' | 'status' | 'isAtomic'>,
  hasStepAfter = false,
): Promise<void> {
  const cancelled = job.status === 'CANCELLATION_IN_PROGRESS';
  const close = async (trx: Knex.Transaction) => {
    if (job.isAtomic || hasStepAfter) await lockAtomicJob(trx, job.id);
    if (job.isAtomic) {
      // A job in this state was cancelled before its only commit: after it, cancelJob refuses.
      if (cancelled) await recordNothingApplied(trx, job.id);
    }
    const open = () => trx('job_chunk').where({ job_id: job.id }).whereNot({ status: 'done' });
    await open().orderBy('idx').forUpdate().select('idx');
    await open().update({ status: 'cancelled' });
  };
  if (cancelled) await withoutSteps(db, job.id, job.isAtomic ? NO_PATIENCE_MS : PATIENCE_MS, close);
  else await withRetries(db, close);
  await explainRecorded(db, job.id);
}
