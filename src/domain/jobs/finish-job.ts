/** The last step of a job with chunks: closes these, and ends the job once what becomes of each row is known. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { approvalOf } from '../job-model/approval.js';
import { type JobTypes, type LoadedJob, parseJob } from '../job-model/job-type.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { ChunkCounts } from '../outcomes/model/chunk-result.js';
import { closeChunks } from './chunks/atomic-chunks.js';
import type { ChunkPlan } from './chunks/chunk-plan.js';
import { sumCounts } from './chunks/sum-counts.js';
import { endJob } from './end-job.js';
import { failedEnd, remainingRows } from './ends/failed-end.js';
import { dropRemovals } from './ends/waiting-removals.js';
import { lockJobStep } from './job-steps.js';
import type { HowItEnds, JobEnd } from './model/job-end.js';
import { loadJob } from './steps/load-job.js';

/** How a feature ends its jobs. */
interface Finishing<Job, Files> {
  /** Whether a job of which so many rows failed is ended here. Absent: any is. */
  readonly mayEnd?: ((job: Job, failed: number) => boolean) | undefined;
  /** Writes the files of the end, before the transaction that ends the job. */
  readonly write: (job: Job) => Promise<Files>;
  /** Cleans up in that transaction, which has locked the job's row. */
  readonly clean: (trx: Knex.Transaction, job: Job) => Promise<void>;
  /** How a job ends that was neither cancelled nor has failed; null: it does not, because it has begun again. */
  readonly end: (trx: Knex.Transaction, job: Job, counts: ChunkCounts) => Promise<HowItEnds | null>;
  /** Records the files. */
  readonly record: (trx: Knex.Transaction, job: Job, files: Files) => Promise<Pick<JobEnd, 'errorFileId'>>;
}

/**
 * Ends a job whose chunks are done, that is being cancelled, or of which a chunk has failed permanently.
 * @returns the job as it was before; null when it did not end here, because its fencing token is outdated
 */
export async function finishJob<Job extends LoadedJob<string, string, unknown, ChunkPlan>, Files>(
  db: Db,
  types: JobTypes<Job>,
  payload: StepPayload,
  { mayEnd, write, clean, end, record }: Finishing<Job, Files>,
): Promise<Job | null> {
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, types, jobId);
  if (job === undefined || job.step !== 'finish' || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch))
    return null;
  await closeChunks(db, job, job.plan?.after !== undefined);
  if (mayEnd !== undefined && !mayEnd(job, (await sumCounts(db, jobId)).failed)) return null;
  const files = await write(job);
  return withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, payload, 'finish');
    if (row === undefined) return null;
    const current = parseJob(types, row);
    const counts = await sumCounts(trx, jobId);
    await clean(trx, current);
    const ended = endFromOutside(current, counts) ?? (await end(trx, current, counts));
    if (ended === null) return job;
    if (ended.status !== 'AWAITING_APPROVAL' && waitsForRemovals(current)) await dropRemovals(trx, [jobId]);
    await endJob(trx, jobId, { ...ended, counts, ...(await record(trx, current, files)) });
    return job;
  });
}

/** Whether its rows are applied, and its removals are to wait for an approval. */
function waitsForRemovals({ options }: LoadedJob): boolean {
  const approval = approvalOf(options);
  return approval?.only === 'removals' && approval.state === 'preview';
}

/** The end of a job that was cancelled, or of which a chunk has failed permanently; null when neither is so. */
function endFromOutside(job: LoadedJob, { created, updated, unchanged }: ChunkCounts): HowItEnds | null {
  const applied = created + updated + unchanged;
  if (job.status !== 'CANCELLATION_IN_PROGRESS') return failedEnd(job, applied);
  const remaining = job.isAtomic ? 'no row was applied' : remainingRows(applied);
  return { status: 'CANCELLED', statusMessage: `cancelled on request; ${remaining}` };
}
