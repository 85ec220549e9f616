/** FINISH of a job of many chunks: what came of it, its error file, its end. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import { lockJobStep } from '../jobs/begin-job.js';
import type { ChunkCounts } from '../jobs/chunk-result.js';
import { abortedEnd, DRY_RUN_END, endJob, endOf, type JobEnd, ROWS_FAILED } from '../jobs/end-job.js';
import { summariseErrors } from '../jobs/job-errors.js';
import { sumCounts } from '../jobs/sum-counts.js';
import { isDryRun, isWholeJob, lockWholeJob, recordNothingApplied } from '../jobs/whole-job.js';
import { newId } from '../kernel/identifier.js';
import { spoolKey } from './plan-file-job.js';
import { type ErrorFile, writeErrorFile } from './report/error-file.js';

/** Reason of a job that failed by our own fault. */
const INTERNAL_ERROR = 'INTERNAL_ERROR';

/**
 * Ends a job whose chunks are done, or that is being cancelled or given up.
 * @returns whether it ended here; false: another dispatch has taken over
 */
export async function finishFileJob(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  jobId: string,
  dispatch: number,
): Promise<boolean> {
  const job = await Job.query(db).findById(jobId);
  if (job === undefined || job.step !== 'finish' || job.dispatch !== dispatch) return false;
  await closeChunks(db, job);
  const errorFile = await writeErrorFile({ db, fileStore }, job);
  const ended = await withRetries(db, async (trx) => {
    const current = await lockJobStep(trx, jobId, 'finish', dispatch);
    if (current === undefined) return false;
    const counts = await sumCounts(trx, jobId);
    await endJob(trx, jobId, {
      ...howItEnds(current, counts),
      counts,
      errorSummary: counts.failed > 0 ? await summariseErrors(trx, jobId) : undefined,
      errorFileId: errorFile === null ? undefined : await recordErrorFile(trx, current, errorFile),
    });
    return true;
  });
  // A normalised copy stays as long as its job: the job's result is read from it.
  if (ended && job.plan === null) await fileStore.remove(spoolKey(jobId));
  return ended;
}

/** Waits for chunks in the middle of their transaction, and closes those that never began (a cancelled job's). */
async function closeChunks(db: Db, job: Job): Promise<void> {
  const jobId = job.id;
  await withRetries(db, async (trx) => {
    if (isWholeJob(job)) {
      await lockWholeJob(trx, jobId);
      // Cancelled before its one commit, or it could not have been cancelled any more.
      if (job.status === 'CANCELLATION_IN_PROGRESS') await recordNothingApplied(trx, jobId);
    }
    await trx('job_chunk')
      .where({ job_id: jobId })
      .whereNot({ status: 'done' })
      .orderBy('idx')
      .forUpdate()
      .select('idx');
    await trx('job_chunk').where({ job_id: jobId }).whereNot({ status: 'done' }).update({ status: 'cancelled' });
  });
}

function howItEnds(job: Job, counts: ChunkCounts): Pick<JobEnd, 'status' | 'statusMessage' | 'reason'> {
  const applied = counts.created + counts.updated + counts.unchanged;
  if (job.status === 'CANCELLATION_IN_PROGRESS') {
    const stays = isWholeJob(job) ? 'nothing of it was applied' : `the ${applied} rows applied before stay`;
    return { status: 'CANCELLED', statusMessage: `cancelled on request; ${stays}` };
  }
  if (job.reason === INTERNAL_ERROR) {
    const statusMessage = `we could not finish the job; the ${applied} rows applied before stay, send the file again to apply the rest`;
    return { status: 'FAILED', statusMessage, reason: INTERNAL_ERROR };
  }
  if (isDryRun(job)) return DRY_RUN_END;
  if (job.reason === ROWS_FAILED) return abortedEnd(counts.failed);
  return endOf(counts);
}

async function recordErrorFile(trx: Knex.Transaction, job: Job, file: ErrorFile): Promise<string> {
  const id = newId();
  await trx('file').insert({
    id,
    site_id: job.site_id,
    type: 'ERROR_FILE',
    name: file.name,
    status: 'UPLOADED',
    storage_key: file.key,
    content_type: file.contentType,
    bytes: file.bytes,
    job_id: job.id,
    uploaded_at: trx.fn.now(),
  });
  return id;
}
