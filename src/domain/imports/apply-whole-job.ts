/**
 * APPLY of a file's job that takes effect as a whole or not at all: all chunks in one transaction, with the reader and
 * the writer of every other job, so that its report is what theirs would be. Then all of it is committed, or undone.
 */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import { breathe } from '../../platform/time-slice.js';
import type { Dispatch } from '../../queues/outbox.js';
import { beginAtomic, lockAtomicJob, recordBeside, recordNothingApplied, sumCounts } from '../jobs/apply-chunks.js';
import { nextWave } from '../jobs/chunk-result.js';
import { ROWS_FAILED } from '../jobs/end-job.js';
import { dispatchStep, lockJobStep, type StepPayload } from '../jobs/job-steps.js';
import { loadJob } from '../jobs/read-job.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { ChunkServices } from './apply-job-chunk.js';
import { IMPORT_JOBS } from './import-jobs.js';
import { HEARS_ITEMS } from './items/tell-of-items.js';
import { contextOf } from './pipeline/apply-context.js';
import { rowRange } from './pipeline/ingest-kind.js';
import { loadKind } from './pipeline/load-kind.js';
import { type ChunkSource, readAhead } from './pipeline/read-ahead.js';

interface WholeJob extends ChunkSource {
  readonly payload: StepPayload;
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
  payload: StepPayload,
  signal: AbortSignal,
): Promise<Dispatch[]> {
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, IMPORT_JOBS, jobId, HEARS_ITEMS);
  if (job === undefined || job.step !== 'apply-all' || job.plan === null) return [];
  if (!isCurrentToken(`job ${job.id}`, dispatch, job.dispatch)) return [];
  const { plan, isDryRun } = job;
  const kind = await loadKind(db, job, job.definitions_version ?? 0, plan.headerCells);
  const whole = { db, fileStore, reader: config.importReader, job, plan, kind, payload, signal };
  return withRetries(db, async (trx) => {
    await lockAtomicJob(trx, jobId);
    await trx.raw(`SAVEPOINT ${BEFORE_JOB}`);
    const undo = () => trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_JOB}`);
    const told: Dispatch[] = [];
    const isOurs = await applyRows(trx, whole, undo, told);
    const { failed } = await sumCounts(trx, jobId);
    const aborted = failed > 0 && !isDryRun;
    if (!isOurs || aborted || isDryRun) await undo();
    // Only now: what is locked behind the savepoint is let go by the undoing.
    if ((await lockJobStep(trx, payload, 'apply-all')) === undefined) {
      await undo();
      return [];
    }
    if (aborted) await recordNothingApplied(trx, jobId, ROWS_FAILED);
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
  const { db, job, plan, kind, payload, signal } = whole;
  let due = await beginAtomic(db, payload);
  if (due === null) return false;
  const reserved = await kind.reserve(trx, rowRange(plan.headerCells, plan.lastRow));
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
      const later = await recordBeside(db, payload, current, result);
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
