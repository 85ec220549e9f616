/** The finish step of a file job: adds up the counts of its chunks, writes its error file, and ends the job. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { FileStore } from '../../platform/file-store.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { REJECT_REASONS } from '../formats/model/rejected-input.js';
import { WORKBOOK_DELIMITER } from '../formats/model/workbook-column.js';
import { finishJob } from '../jobs/finish-job.js';
import type { HowItEnds } from '../jobs/model/job-end.js';
import { newId } from '../kernel/identifier.js';
import type { ChunkCounts } from '../outcomes/model/chunk-result.js';
import { endOfPreview, previewOf, removalOf } from './approval/end-of-preview.js';
import { forgetPreviewRows } from './approval/preview-rows.js';
import { type ErrorFile, writeErrorFile } from './error-files/write-error-file.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import { spoolKey } from './model/spool-key.js';
import { abortedEnd, dryRunEnd, endOf, ROWS_FAILED } from './pipeline/row-ends.js';
import { isOfRemovals, waitsForRemovals } from './snapshots/approved-alone.js';
import { forgetItemsOfGoneFeed } from './snapshots/feed-items.js';
import { SNAPSHOT_BRAKE, withRemoval } from './snapshots/removal-end.js';

/** Why nothing could be applied, before any row was: what the job says of it was recorded then. */
const REFUSED: readonly string[] = REJECT_REASONS.filter((reason) => reason !== ROWS_FAILED);

/** Why a job was not brought to its end after its rows were applied. */
const AFTER_ROWS = [SNAPSHOT_BRAKE, 'SNAPSHOT_REFUSED'];

interface FinishServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/**
 * Ends a job whose chunks are done, that is being cancelled, or that has failed permanently.
 * @param mostFailed the job is not ended when more of its rows failed, because its error file would take too long;
 *   absent: any number
 * @returns whether it ended here; false when the fencing token is outdated
 */
export async function finishFileJob(
  { db, fileStore }: FinishServices,
  payload: StepPayload,
  mostFailed?: number,
): Promise<boolean> {
  const job = await finishJob(db, IMPORT_JOBS, payload, {
    mayEnd: mostFailed === undefined ? undefined : (job, failed) => failed <= mostAtOnce(job, mostFailed),
    // That of a job whose removals had to be approved was written when its rows were applied.
    write: async (job) => (job.error_file_id === null ? writeErrorFile({ db, fileStore }, job) : null),
    clean: async (trx, job) => {
      const { id, options } = job;
      await trx('unique_wait').where({ job_id: id }).delete();
      const waits = waitsForRemovals(job, SNAPSHOT_BRAKE);
      if (!waits) await trx('snapshot_sku').where({ job_id: id }).delete();
      if (isOfRemovals(job)) await forgetPreviewRows(trx, id);
      await forgetItemsOfGoneFeed(trx, 'snapshot' in options ? options.snapshot : undefined);
    },
    end: howItEnds,
    record: async (trx, job, file) => (file === null ? {} : { errorFileId: await recordErrorFile(trx, job, file) }),
  });
  // With a plan, the normalised copy is kept as long as the job, because the job's result is read from it.
  if (job !== null && job.plan === null) await fileStore.remove(spoolKey(job.id));
  return job !== null;
}

/** The error file of a workbook, or of a file with a profile, is made from the file itself, which may take long to read again. */
function mostAtOnce({ plan }: ImportJob, mostFailed: number): number {
  return plan?.delimiter === WORKBOOK_DELIMITER ? 0 : mostFailed;
}

/** How a job ends whose chunks have all been judged; null: it was a preview, and has begun again. */
async function howItEnds(trx: Knex.Transaction, job: ImportJob, counts: ChunkCounts): Promise<HowItEnds | null> {
  const { reason } = job;
  const isRefused = reason !== null && REFUSED.includes(reason);
  const approval = previewOf(job);
  if (approval !== undefined && !isRefused && reason !== ROWS_FAILED) {
    return endOfPreview(trx, job, counts, approval);
  }
  if (reason !== null && waitsForRemovals(job, SNAPSHOT_BRAKE)) {
    return { status: 'AWAITING_APPROVAL', reason, statusMessage: job.status_message ?? undefined };
  }
  // Its rows were applied.
  if (reason !== null && AFTER_ROWS.includes(reason) && !job.isAtomic) {
    return { status: 'COMPLETED_PARTIALLY', reason, statusMessage: job.status_message ?? undefined };
  }
  if (isRefused) return { status: 'REJECTED', reason, statusMessage: job.status_message ?? undefined };
  if (reason === ROWS_FAILED) return abortedEnd(counts.failed);
  const end = job.isDryRun ? dryRunEnd(counts) : endOf(counts);
  return withRemoval(end, removalOf(job), job.status_message, job.isDryRun);
}

async function recordErrorFile(trx: Knex.Transaction, job: ImportJob, file: ErrorFile): Promise<string> {
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
