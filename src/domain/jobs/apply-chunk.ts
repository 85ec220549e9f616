/** The step that applies one chunk of a job: its rows, their errors and the end of the chunk are one transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { JobChunk } from '../../../db/models/job-chunk.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { JobTypes, LoadedJob } from '../job-model/job-type.js';
import type { ChunkResult, Outcome } from '../outcomes/model/chunk-result.js';
import { advanceJob, finishChunk } from './chunks/advance-job.js';
import type { ChunkPlan } from './chunks/chunk-plan.js';
import { type ChunkPayload, findDueChunks, lockDueChunk } from './chunks/due-chunks.js';
import { loadJob } from './steps/load-job.js';

/** What a feature makes of the rows of a chunk that it has read. */
export interface ChunkWork {
  /**
   * Applies them. @param current the chunk as it is locked
   * @returns the result of the chunk, and of those that were applied together with it
   */
  readonly apply: (trx: Knex.Transaction, current: JobChunk) => Promise<AppliedChunks>;
  /** Is called after the transaction, even if it found that the chunk has another worker. */
  readonly done: () => void;
}

interface AppliedChunks {
  readonly result: ChunkResult;
  readonly others: readonly { readonly chunk: JobChunk; readonly result: ChunkResult }[];
  /** What to enqueue once the transaction has committed. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/** What came of the step: `outcomes` are those of its rows, null when it has applied none. */
interface AppliedStep<Job> {
  readonly outboxEntries: OutboxEntry[];
  readonly applied: { readonly job: Job; readonly outcomes: readonly Outcome[] } | null;
}

/**
 * Applies a chunk whose step is due, and moves the job on.
 * @param besides SQL: what to select in addition to the job's columns
 * @param read reads the rows of the chunk, and of those that the last pass applies together with it
 * @returns nothing to enqueue when another worker has the chunk, or when it is done
 */
export async function applyChunk<Job extends LoadedJob<string, string, unknown, ChunkPlan>>(
  db: Db,
  { types, besides }: { readonly types: JobTypes<Job>; readonly besides: string },
  payload: ChunkPayload,
  read: (job: Job, plan: NonNullable<Job['plan']>, chunks: readonly [JobChunk, ...JobChunk[]]) => Promise<ChunkWork>,
): Promise<AppliedStep<Job>> {
  const job = await loadJob(db, types, payload.jobId, besides);
  if (job === undefined || job.plan === null) return { outboxEntries: [], applied: null };
  const { plan } = job;
  const [chunk, ...following] = await findDueChunks(db, job, payload);
  if (chunk === undefined) return { outboxEntries: [], applied: null };
  const work = await read(job, plan, [chunk, ...following]);
  const { next, applied } = await withRetries(db, async (trx) => {
    const current = await lockDueChunk(trx, payload);
    if (current === undefined) return { next: [], applied: null };
    const applied = await work.apply(trx, current);
    return { next: await finishChunk(trx, job, current, applied.result, plan, applied.others), applied };
  });
  work.done();
  const entries = next.length > 0 ? next : await advanceJob(db, job.id);
  if (applied === null) return { outboxEntries: entries, applied };
  const { result, others } = applied;
  // One chunk has thousands: they are copied only where there are several.
  const outcomes =
    others.length === 0 ? result.outcomes : [result, ...others.map((one) => one.result)].flatMap((one) => one.outcomes);
  return { outboxEntries: [...entries, ...applied.outboxEntries], applied: { job, outcomes } };
}
