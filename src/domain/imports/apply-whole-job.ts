/**
 * APPLY of a file's job that takes effect as a whole or not at all: all chunks in one transaction, with the reader and
 * the writer of every other job, so that its report is what theirs would be. Then all of it is committed, or undone.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import { breathe } from '../../platform/time-slice.js';
import type { Dispatch } from '../../queues/outbox.js';
import { dispatchStep } from '../jobs/advance-job.js';
import { lockJobStep } from '../jobs/begin-job.js';
import { ROWS_FAILED } from '../jobs/end-job.js';
import { sumCounts } from '../jobs/sum-counts.js';
import { nextWave } from '../jobs/waves.js';
import { forgetRecords, isDryRun, lockWholeJob, recordNothingApplied, recordWhileDue } from '../jobs/whole-job.js';
import type { ChunkServices } from './apply-job-chunk.js';
import { HEARS_ITEMS } from './items/tell-of-items.js';
import { contextOf, recordChunk } from './pipeline/chunk-record.js';
import { type InputPlan, rowRange } from './pipeline/ingest-kind.js';
import { loadKind } from './pipeline/load-kind.js';
import { type ChunkSource, readAhead } from './pipeline/read-ahead.js';

export interface WholeJobPayload {
  readonly jobId: string;
  readonly dispatch: number;
}

interface WholeJob extends ChunkSource {
  readonly dispatch: number;
  readonly signal: AbortSignal;
}

const BEFORE_JOB = 'before_job';
/** What Postgres refuses of single rows: data exceptions, program limits, and a key that is there after all. */
const REFUSED_ROW = /^(22|54|23505)/;

/**
 * Applies all rows of a job whose plan is recorded. Row failures, outcomes and counts are recorded beside the
 * transaction: they are progress while it runs, and outlive its being undone.
 * @returns what to enqueue once done; empty when the job is another's, was cancelled, or is done already
 * @throws the signal's reason when it is aborted; nothing is written then
 */
export async function applyWholeJob(
  { db, fileStore, config }: ChunkServices,
  { jobId, dispatch }: WholeJobPayload,
  signal: AbortSignal,
): Promise<Dispatch[]> {
  const job = await Job.query(db).findById(jobId).select('job.*', raw(HEARS_ITEMS));
  if (job === undefined || job.step !== 'apply-all' || job.dispatch !== dispatch) return [];
  const plan = job.plan as unknown as InputPlan;
  const kind = await loadKind(db, job, job.definitions_version ?? 0, plan.headerCells);
  const whole = { db, fileStore, reader: config.importReader, job, plan, kind, dispatch, signal };
  return withRetries(db, async (trx) => {
    await lockWholeJob(trx, jobId);
    await trx.raw(`SAVEPOINT ${BEFORE_JOB}`);
    const undo = () => trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_JOB}`);
    const told: Dispatch[] = [];
    const isOurs = await applyRows(trx, whole, undo, told);
    const { failed } = await sumCounts(trx, jobId);
    const aborted = failed > 0 && !isDryRun(job);
    if (!isOurs || aborted || isDryRun(job)) await undo();
    // Only now: what is locked behind the savepoint is let go by the undoing.
    if ((await lockJobStep(trx, jobId, 'apply-all', dispatch)) === undefined) {
      await undo();
      return [];
    }
    if (aborted) {
      await recordNothingApplied(trx, jobId);
      await trx('job').where({ id: jobId }).update({ reason: ROWS_FAILED });
    }
    return [await dispatchStep(trx, jobId, 'finish'), ...(aborted ? [] : told)];
  });
}

/**
 * Without a savepoint a chunk at first: that many of them would slow down whoever looks at what the transaction writes
 * (https://www.postgresql.org/docs/current/subxacts.html). Only rows that Postgres itself refuses need them.
 */
async function applyRows(
  trx: Knex.Transaction,
  whole: WholeJob,
  undo: () => Promise<unknown>,
  told: Dispatch[],
): Promise<boolean> {
  try {
    return await applyChunks(trx, whole, false, told);
  } catch (error) {
    if (!REFUSED_ROW.test((error as { code?: string }).code ?? '')) throw error;
    await undo();
    told.length = 0;
    return applyChunks(trx, whole, true, told);
  }
}

/**
 * @param told is added what to enqueue once the rows have committed
 * @returns false: the job is no longer ours, and what was written of it is to be undone
 */
async function applyChunks(
  trx: Knex.Transaction,
  whole: WholeJob,
  guarded: boolean,
  told: Dispatch[],
): Promise<boolean> {
  const { db, job, plan, kind, signal } = whole;
  const place = { jobId: job.id, dispatch: whole.dispatch };
  if ((await recordWhileDue(db, place, (beside) => forgetRecords(beside, job.id))) === null) return false;
  const reserved = await kind.reserve(trx, rowRange(plan.headerCells, plan.lastRow));
  let due = await chunksOf(db, job.id);
  let waiting = 0;
  for (let wave: number | null = 0; wave !== null; ) {
    const waited = waiting;
    waiting = 0;
    const putOff: number[] = [];
    for await (const { chunk, read } of readAhead(whole, due)) {
      signal.throwIfAborted();
      const current = { ...chunk, job_id: job.id, wave };
      const result = await kind.apply(trx, read, contextOf(current, plan, reserved, guarded));
      kind.done(read);
      told.push(...(result.dispatches ?? []));
      const later = await recordWhileDue(db, place, (beside) => recordChunk(beside, current, result));
      if (later === null) return false;
      if (later > 0) putOff.push(chunk.idx);
      waiting += later;
      await breathe();
    }
    due = putOff;
    wave = nextWave(wave, waited, waiting);
  }
  return true;
}

async function chunksOf(db: Db, jobId: string): Promise<number[]> {
  return db('job_chunk').where({ job_id: jobId }).orderBy('idx').pluck('idx');
}
