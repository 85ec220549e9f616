/**
 * APPLY of a file's job that takes effect as a whole or not at all: all chunks in one transaction, with the reader and
 * the writer of every other job, so that its report is what theirs would be. Then all of it is committed, or undone.
 */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import { yieldToEventLoop } from '../../platform/time-slice.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { beginAtomic, lockAtomicJob, recordBeside, recordNothingApplied, sumCounts } from '../jobs/apply-chunks.js';
import { nextPass } from '../jobs/chunk-result.js';
import { ROWS_FAILED } from '../jobs/end-job.js';
import { enqueueStep, lockJobStep, type StepPayload } from '../jobs/job-steps.js';
import { loadJob } from '../jobs/read-job.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { ChunkServices } from './apply-job-chunk.js';
import { IMPORT_JOBS } from './import-jobs.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import { contextOf } from './pipeline/apply-context.js';
import { loadApplier } from './pipeline/load-applier.js';
import { type ChunkSource, readAhead } from './pipeline/read-ahead.js';
import { rowRange } from './pipeline/row-applier.js';

interface AtomicJob extends ChunkSource {
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
export async function applyAtomicJob(
  { db, fileStore, config }: ChunkServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<OutboxEntry[]> {
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, IMPORT_JOBS, jobId, HAS_ITEM_SUBSCRIBERS);
  if (job === undefined || job.step !== 'apply-all' || job.plan === null) return [];
  if (!isCurrentToken(`job ${job.id}`, dispatch, job.dispatch)) return [];
  const { plan, isDryRun } = job;
  const applier = await loadApplier(db, job, job.definitions_version ?? 0, plan.headerCells);
  const atomicJob = { db, fileStore, reader: config.importReader, job, plan, applier, payload, signal };
  return withRetries(db, async (trx) => {
    await lockAtomicJob(trx, jobId);
    await trx.raw(`SAVEPOINT ${BEFORE_JOB}`);
    const undo = () => trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_JOB}`);
    const told: OutboxEntry[] = [];
    const isOurs = await applyRows(trx, atomicJob, undo, told);
    const { failed } = await sumCounts(trx, jobId);
    const aborted = failed > 0 && !isDryRun;
    if (!isOurs || aborted || isDryRun) await undo();
    // Only now: what is locked behind the savepoint is let go by the undoing.
    if ((await lockJobStep(trx, payload, 'apply-all')) === undefined) {
      await undo();
      return [];
    }
    if (aborted) await recordNothingApplied(trx, jobId, ROWS_FAILED);
    return [await enqueueStep(trx, jobId, 'finish'), ...(aborted ? [] : told)];
  });
}

/**
 * Without a savepoint a chunk at first: that many of them would slow down whoever looks at what the transaction writes
 * (https://www.postgresql.org/docs/current/subxacts.html). Only rows that Postgres itself refuses need them.
 */
async function applyRows(
  trx: Knex.Transaction,
  atomicJob: AtomicJob,
  undo: () => Promise<unknown>,
  told: OutboxEntry[],
): Promise<boolean> {
  try {
    return await applyChunks(trx, atomicJob, false, told);
  } catch (error) {
    if (!REFUSED_ROW.test((error as { code?: string }).code ?? '')) throw error;
    await undo();
    told.length = 0;
    return applyChunks(trx, atomicJob, true, told);
  }
}

/**
 * @param told is added what to enqueue once the rows have committed
 * @returns false: the job is no longer ours, and what was written of it is to be undone
 */
async function applyChunks(
  trx: Knex.Transaction,
  atomicJob: AtomicJob,
  guarded: boolean,
  told: OutboxEntry[],
): Promise<boolean> {
  const { db, job, plan, applier, payload, signal } = atomicJob;
  let due = await beginAtomic(db, payload);
  if (due === null) return false;
  const reserved = await applier.reserve(trx, rowRange(plan.headerCells, plan.lastRow));
  let waiting = 0;
  for (let pass: number | null = 0; pass !== null; ) {
    const waited = waiting;
    waiting = 0;
    const deferred: number[] = [];
    for await (const { chunk, read } of readAhead(atomicJob, due)) {
      signal.throwIfAborted();
      const current = { ...chunk, job_id: job.id, wave: pass };
      const result = await applier.apply(trx, read, contextOf(current, plan, reserved, guarded));
      applier.done(read);
      told.push(...(result.outboxEntries ?? []));
      const later = await recordBeside(db, payload, current, result);
      if (later === null) return false;
      if (later > 0) deferred.push(chunk.idx);
      waiting += later;
      await yieldToEventLoop();
    }
    due = deferred;
    pass = nextPass(pass, waited, waiting);
  }
  return true;
}
