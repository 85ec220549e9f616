/**
 * The step that does in one transaction what belongs to a job as a whole: it applies all chunks of an atomic job, or what
 * follows the last chunk of another one. Then the job goes on to its finish.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { JobTypes, LoadedJob } from '../job-model/job-type.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { ChunkCounts, ChunkResult } from '../outcomes/model/chunk-result.js';
import { beginAtomic, lockAtomicJob, recordBeside, recordNothingApplied } from './chunks/atomic-chunks.js';
import type { ChunkPlan } from './chunks/chunk-plan.js';
import type { AppliedChunk } from './chunks/record-chunk.js';
import { sumCounts } from './chunks/sum-counts.js';
import { lockJobStep, recordNote } from './job-steps.js';
import { enqueueStep } from './steps/enqueue-step.js';
import { loadJob } from './steps/load-job.js';

/** The chunks of an atomic job. What is recorded of them shows progress, and remains when the transaction is undone. */
interface WholeChunks {
  /**
   * Deletes what an earlier attempt has recorded.
   * @returns the indexes of all chunks, in order; null when the fencing token is no longer current
   */
  readonly begin: () => Promise<number[] | null>;
  /** Records a chunk that was applied. @returns how many of its rows are deferred to another pass; null as for `begin` */
  readonly record: (chunk: AppliedChunk, result: ChunkResult) => Promise<number | null>;
  readonly counts: () => Promise<ChunkCounts>;
}

/** What came of the work of such a step. */
export interface WholeEnd {
  /** Whether what the transaction has written stays. */
  readonly stays: boolean;
  /** None of the rows counts as applied: only the outcomes of those that failed remain. */
  readonly nothingApplied?: boolean;
  /** Records what goes with it, whether or not that stays. The job's row is locked. */
  readonly record?: (trx: Knex.Transaction) => Promise<void>;
  /** What the last step of the job is to say of it. */
  readonly note?: Parameters<typeof recordNote>[2] | undefined;
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
  /** The rows that it has applied, for the metrics; null: none were its subject. */
  readonly counts: ChunkCounts | null;
}

export type WholeWork = (trx: Knex.Transaction, chunks: WholeChunks) => Promise<WholeEnd>;

/** What came of the step, with the counts that its work has returned. */
interface DoneWhole<Job> {
  readonly outboxEntries: OutboxEntry[];
  readonly applied: { readonly job: Job; readonly counts: ChunkCounts } | null;
}

const NOTHING = { outboxEntries: [], applied: null };
const BEFORE_WORK = 'before_work';

/**
 * Executes such a step if it is due. The job's row is not locked while it works, so that the job can be cancelled.
 * @param besides SQL: what to select in addition to the job's columns
 * @param prepare gets the work of the job; null: it has none
 * @returns nothing to enqueue when another worker has the job, or when it was cancelled or is done
 */
export async function applyWhole<Job extends LoadedJob<string, string, unknown, ChunkPlan>>(
  db: Db,
  { types, besides }: { readonly types: JobTypes<Job>; readonly besides: string },
  payload: StepPayload,
  prepare: (job: Job, plan: NonNullable<Job['plan']>) => Promise<WholeWork | null>,
): Promise<DoneWhole<Job>> {
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, types, jobId, besides);
  if (job === undefined || job.step !== 'apply-all' || job.plan === null) return NOTHING;
  if (!isCurrentToken(`job ${job.id}`, dispatch, job.dispatch)) return NOTHING;
  const work = await prepare(job, job.plan);
  if (work === null) return NOTHING;
  const { outboxEntries, counts } = await withRetries(db, (trx) => workWhole(trx, db, payload, work));
  return { outboxEntries, applied: counts === null ? null : { job, counts } };
}

async function workWhole(
  trx: Knex.Transaction,
  db: Db,
  payload: StepPayload,
  work: WholeWork,
): Promise<{ readonly outboxEntries: OutboxEntry[]; readonly counts: ChunkCounts | null }> {
  const { jobId } = payload;
  await lockAtomicJob(trx, jobId);
  await trx.raw(`SAVEPOINT ${BEFORE_WORK}`);
  const undo = () => trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_WORK}`);
  const { stays, nothingApplied, record, note, outboxEntries, counts } = await work(trx, {
    begin: () => beginAtomic(db, payload),
    record: (chunk, result) => recordBeside(db, payload, chunk, result),
    counts: () => sumCounts(trx, jobId),
  });
  if (!stays) await undo();
  // The job's row is locked only now, because undoing releases every lock taken after the savepoint.
  if ((await lockJobStep(trx, payload, 'apply-all')) === undefined) {
    await undo();
    return { outboxEntries: [], counts: null };
  }
  await record?.(trx);
  if (nothingApplied) await recordNothingApplied(trx, jobId);
  const finish = await enqueueStep(trx, jobId, 'finish');
  // After the new step, which has no message of its own yet.
  if (note !== undefined) await recordNote(trx, jobId, note);
  return { outboxEntries: [finish, ...outboxEntries], counts };
}
