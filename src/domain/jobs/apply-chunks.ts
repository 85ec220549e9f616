/** The chunks of a job: recorded by its plan, applied one by one or in one transaction, closed by its finish step. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { z } from 'zod';
import { ADVISORY_LOCKS, stepMark } from '../../../db/advisory-locks.js';
import { besides } from '../../../db/besides.js';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import {
  type ChunkCounts,
  type ChunkResult,
  countOutcomes,
  countWaiting,
  nextPass,
  OUTCOME,
  passOf,
} from '../kernel/chunk-result.js';
import { isCurrentToken } from '../kernel/invariant.js';
import { type CheckedChunk, checkChunk, openWindow, refillWindow } from './chunks/chunk-window.js';
import { explainRecorded, recordedWarnings, recordFailures } from './chunks/record-errors.js';
import { enqueueStep, NEW_STEP, PATIENCE_MS, type StepPayload, withoutSteps } from './job-steps.js';
import { CHUNK_PLAN, type LoadedJob } from './job-type.js';

/** Rows of job_chunk that one statement inserts. */
const CHUNKS_PER_STATEMENT = 1_000;

/** The transaction of a cancelled atomic job is undone in any case. */
const NO_PATIENCE_MS = 1;

const chunkPlan = z.object(CHUNK_PLAN);
type ChunkPlan = z.output<typeof chunkPlan>;

/** A chunk as the plan of a job found it. */
interface PlannedChunk {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  /** Superseded rows, each with the winning row that has the same key. */
  readonly duplicates: readonly (readonly [row: number, winningRow: number])[];
}

interface PlannedRows {
  readonly chunks: readonly PlannedChunk[];
  readonly totalRows: number;
  /** The job's options, if the file has brought others than those it was accepted with. */
  readonly options?: object | undefined;
}

/**
 * Records the plan of a file's job, and its chunks. The caller's transaction has locked the job's row.
 * @returns what to enqueue: the first chunks, or for an atomic job the one step that applies all chunks
 */
export async function recordPlan(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id' | 'isAtomic'>,
  plan: ChunkPlan,
  { chunks, totalRows, options }: PlannedRows,
): Promise<OutboxEntry[]> {
  const rows = chunks.map(({ firstRow, rowCount, byteStart, byteEnd, duplicates }, idx) => ({
    idx,
    first_row: firstRow,
    row_count: rowCount,
    byte_start: byteStart,
    byte_end: byteEnd,
    duplicates: duplicates.length === 0 ? null : duplicates,
  }));
  for (let start = 0; start < rows.length; start += CHUNKS_PER_STATEMENT) {
    await trx.raw(
      `INSERT INTO job_chunk (job_id, idx, first_row, row_count, byte_start, byte_end, duplicates)
       SELECT ?, idx, first_row, row_count, byte_start, byte_end, duplicates
       FROM jsonb_to_recordset(?::jsonb) AS chunk
         (idx integer, first_row integer, row_count integer, byte_start bigint, byte_end bigint, duplicates jsonb)`,
      [job.id, JSON.stringify(rows.slice(start, start + CHUNKS_PER_STATEMENT))],
    );
  }
  await trx('job')
    .where({ id: job.id })
    .update({
      plan: JSON.stringify(plan),
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
      total_count: totalRows,
      step: 'apply',
      ...NEW_STEP,
      dispatched_at: null,
      updated_at: trx.fn.now(),
    });
  return job.isAtomic
    ? [await enqueueStep(trx, job.id, 'apply-all')]
    : openWindow(trx, { ...job, ordered: plan.ordered });
}

/** Payload of a step that applies one chunk. */
export interface ChunkPayload extends StepPayload {
  readonly chunk: number;
}

/** Finds a chunk to apply; undefined when it is done, has a newer fencing token, or its job applies no chunks now. */
export async function findDueChunk(db: Db, job: ChunkOwner, payload: ChunkPayload): Promise<JobChunk | undefined> {
  const chunk = await JobChunk.query(db).findById([payload.jobId, payload.chunk]);
  return chunk !== undefined && isDue(job, chunk, payload) ? chunk : undefined;
}

/**
 * Like findDueChunk, but locks the chunk. When two workers have the same chunk, the second one finds it done or with a
 * newer fencing token.
 */
export async function lockDueChunk(trx: Knex.Transaction, payload: ChunkPayload): Promise<JobChunk | undefined> {
  const chunk = await JobChunk.query(trx)
    .findById([payload.jobId, payload.chunk])
    .select('job_chunk.*', raw(stepMark('job_chunk.job_id')))
    .forNoKeyUpdate();
  const job: ChunkOwner | undefined = await trx('job').where({ id: payload.jobId }).first('status', 'step');
  return job !== undefined && chunk !== undefined && isDue(job, chunk, payload) ? chunk : undefined;
}

/** Finds the chunks that wait for the last pass after a chunk of it, in order; none in the other passes. */
export async function findLastChunks(db: Db, chunk: JobChunk): Promise<JobChunk[]> {
  if (!passOf(chunk.wave, '').last) return [];
  return JobChunk.query(db).where({ job_id: chunk.job_id, wave: chunk.wave, status: 'pending' }).orderBy('idx');
}

/**
 * Records chunks of the last pass that the transaction has applied together with one that it has locked. Their steps
 * begin when that one is done, so that nothing else records them meanwhile.
 */
export async function recordTogether(
  trx: Knex.Transaction,
  applied: readonly { readonly chunk: AppliedChunk; readonly result: ChunkResult }[],
): Promise<void> {
  for (const { chunk, result } of applied) await recordChunk(trx, chunk, result);
}

/** A chunk before a pass, with what the passes before it have recorded. */
type AppliedChunk = CheckedChunk & Pick<JobChunk, 'warnings'>;

type ChunkOwner = Pick<LoadedJob, 'status' | 'step'>;

function isDue({ status, step }: ChunkOwner, chunk: JobChunk, { dispatch }: ChunkPayload): boolean {
  const isCurrent = isCurrentToken(`job ${chunk.job_id}, chunk ${chunk.idx}`, dispatch, chunk.dispatch);
  return isCurrent && status === 'IN_PROGRESS' && step === 'apply' && chunk.status === 'dispatched';
}

/**
 * Records a chunk that the transaction has applied as done.
 * @returns which chunks may follow; when empty, call advanceJob after the commit
 */
export async function finishChunk(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id'>,
  chunk: AppliedChunk,
  result: ChunkResult,
  { ordered }: ChunkPlan,
): Promise<OutboxEntry[]> {
  await recordChunk(trx, chunk, result);
  // The outcome of a row that refers to other rows depends on the rows before it.
  return refillWindow(trx, { ...job, ordered: ordered || chunk.wave > 0 });
}

/**
 * Records a chunk's failures, outcomes, counts and warnings, after checking that they are consistent. A later pass keeps
 * the outcomes that earlier passes recorded for the other rows, and the warnings about these.
 * @returns how many of its rows are deferred to another pass
 */
export async function recordChunk(trx: Knex.Transaction, chunk: AppliedChunk, result: ChunkResult): Promise<number> {
  const outcomes = checkChunk(chunk, result);
  await recordFailures(trx, chunk.job_id, result.failures);
  const counts = countOutcomes(outcomes);
  const warnings = recordedWarnings(chunk.warnings, result.warnings);
  await trx('job_chunk')
    .where({ job_id: chunk.job_id, idx: chunk.idx })
    .update({
      status: 'done',
      outcomes,
      created_count: counts.created,
      updated_count: counts.updated,
      unchanged_count: counts.unchanged,
      error_count: counts.failed,
      done_at: trx.fn.now(),
      ...(warnings === null ? {} : { warnings: JSON.stringify(warnings) }),
    });
  return countWaiting(outcomes);
}

/**
 * Moves a job on when its chunks are done: to the next pass, or to its finish. Safe to call at any time.
 * @returns what to enqueue; empty while chunks are still open, or when another call has moved the job on
 */
export function advanceJob(db: Db, jobId: string): Promise<OutboxEntry[]> {
  return withRetries(db, async (trx) => {
    // No stronger lock: each error that a chunk records takes a shared lock on the job's row (foreign key), and a
    // sequence of such chunks would keep this statement waiting.
    const job = await Job.query(trx)
      .findById(jobId)
      .select('job.*', raw(stepMark('job.id')))
      .where({ step: 'apply' })
      .whereNull('completed_at')
      .forNoKeyUpdate();
    if (job === undefined) return [];
    const plan = chunkPlan.parse(job.plan);
    // Each of a job's last chunks calls this. Only the very last one has to read the others.
    if (await hasChunks(trx, jobId, 'dispatched')) return [];
    const chunks = await trx('job_chunk')
      .where({ job_id: jobId })
      .first(
        trx.raw('coalesce(max(wave), 0)::integer AS wave'),
        trx.raw("coalesce(sum(length(outcomes) - length(replace(outcomes, :deferred, ''))), 0)::integer AS waiting", {
          deferred: OUTCOME.deferred,
        }),
      );
    const ordered = plan.ordered || chunks.wave > 0;
    if (await hasChunks(trx, jobId, 'pending')) return openWindow(trx, { ...job, ordered });
    const pass = nextPass(chunks.wave, plan.waiting ?? 0, chunks.waiting);
    if (pass === null) return [await enqueueStep(trx, jobId, 'finish')];
    await trx('job_chunk')
      .where({ job_id: jobId })
      .whereRaw('position(? IN outcomes) > 0', [OUTCOME.deferred])
      .update({ wave: pass, status: 'pending' });
    // Merged, so that the other members of the plan stay.
    await trx('job')
      .where({ id: jobId })
      .update({ plan: trx.raw('plan || ?::jsonb', [JSON.stringify({ waiting: chunks.waiting })]) });
    return openWindow(trx, { ...job, ordered: true });
  });
}

async function hasChunks(trx: Db, jobId: string, status: 'dispatched' | 'pending'): Promise<boolean> {
  return (await trx('job_chunk').where({ job_id: jobId, status }).first('idx')) !== undefined;
}

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
    await trx('job_error').where({ job_id: payload.jobId }).delete();
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
 * Records that nothing of the job was applied: only the outcomes of failed and duplicate rows remain, and warnings are
 * about applied rows.
 */
export async function recordNothingApplied(trx: Knex.Transaction, jobId: string, reason?: string): Promise<void> {
  await trx('job_chunk')
    .where({ job_id: jobId })
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
  if (reason !== undefined) await trx('job').where({ id: jobId }).update({ reason });
}

/** Sums the counts of a job's rows so far over its chunks. */
export async function sumCounts(db: Db, jobId: string): Promise<ChunkCounts> {
  return db('job_chunk')
    .where({ job_id: jobId })
    .first(
      db.raw('coalesce(sum(created_count), 0)::integer AS created'),
      db.raw('coalesce(sum(updated_count), 0)::integer AS updated'),
      db.raw('coalesce(sum(unchanged_count), 0)::integer AS unchanged'),
      db.raw('coalesce(sum(error_count), 0)::integer AS failed'),
    );
}

/**
 * Waits for chunks whose transaction is running, and cancels those that never began. After a cancellation, transactions
 * that do not commit soon are ended, and none of an atomic job can commit any more: their chunks are cancelled as well.
 * Then the outcome of every row is known, and with it what superseded rows have to say.
 */
export async function closeChunks(db: Db, job: Pick<LoadedJob, 'id' | 'status' | 'isAtomic'>): Promise<void> {
  const cancelled = job.status === 'CANCELLATION_IN_PROGRESS';
  const close = async (trx: Knex.Transaction) => {
    if (job.isAtomic) {
      await lockAtomicJob(trx, job.id);
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
