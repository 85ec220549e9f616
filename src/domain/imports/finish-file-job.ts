/** The finish step of a file job: adds up the counts of its chunks, writes its error file, and ends the job. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import { REJECT_REASONS } from '../formats/model/rejected-input.js';
import { WORKBOOK_DELIMITER } from '../formats/model/workbook-column.js';
import { sumCounts } from '../jobs/apply-chunks.js';
import { closeChunks } from '../jobs/atomic-chunks.js';
import { endJob } from '../jobs/end-job.js';
import { failedEnd } from '../jobs/failed-end.js';
import { lockJobStep } from '../jobs/job-steps.js';
import { loadJob } from '../jobs/load-job.js';
import type { ChunkCounts } from '../jobs/model/chunk-result.js';
import { type JobEnd, remainingRows } from '../jobs/model/job-end.js';
import { parseJob } from '../jobs/model/job-type.js';
import type { RemovalReport } from '../jobs/model/removal-report.js';
import type { StepPayload } from '../jobs/model/step-payload.js';
import { newId } from '../kernel/identifier.js';
import { isCurrentToken } from '../kernel/invariant.js';
import { endOfPreview, previewOf } from './approval/end-of-preview.js';
import { type ErrorFile, writeErrorFile } from './error-files/write-error-file.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { spoolKey } from './model/input-plan.js';
import { abortedEnd, dryRunEnd, endOf, ROWS_FAILED } from './pipeline/row-ends.js';
import { forgetItemsOfGoneFeed } from './snapshots/feed-items.js';
import { SNAPSHOT_BRAKE, withRemoval } from './snapshots/removal-end.js';

/** Why nothing could be applied, before any row was: what the job says of it was recorded then. */
const REFUSED: readonly (string | null)[] = REJECT_REASONS.filter((reason) => reason !== ROWS_FAILED);

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
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, IMPORT_JOBS, jobId);
  if (job === undefined || job.step !== 'finish' || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch))
    return false;
  await closeChunks(db, job, job.plan?.after !== undefined);
  if (mostFailed !== undefined) {
    // The error file of a workbook, or of a file with a profile, is made from the file itself, which may take long to
    // read again.
    const most = job.plan?.delimiter === WORKBOOK_DELIMITER ? 0 : mostFailed;
    if ((await sumCounts(db, jobId)).failed > most) return false;
  }
  const errorFile = await writeErrorFile({ db, fileStore }, job);
  const ended = await withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, payload, 'finish');
    if (row === undefined) return false;
    const current = parseJob(IMPORT_JOBS, row);
    const counts = await sumCounts(trx, jobId);
    for (const table of ['unique_wait', 'snapshot_sku']) await trx(table).where({ job_id: jobId }).delete();
    await forgetItemsOfGoneFeed(trx, 'snapshot' in current.options ? current.options.snapshot : undefined);
    const approval = current.status === 'CANCELLATION_IN_PROGRESS' ? undefined : previewOf(current);
    const isRejected = REFUSED.includes(current.reason) || current.reason === ROWS_FAILED;
    const end =
      approval === undefined || failedEnd(current, 0) !== null || isRejected
        ? howItEnds(current, counts)
        : await endOfPreview(trx, current, counts, approval);
    if (end === null) return true;
    await endJob(trx, jobId, {
      ...end,
      counts,
      errorFileId: errorFile === null ? undefined : await recordErrorFile(trx, current, errorFile),
    });
    return true;
  });
  // With a plan, the normalised copy is kept as long as the job, because the job's result is read from it.
  if (ended && job.plan === null) await fileStore.remove(spoolKey(jobId));
  return ended;
}

function howItEnds(job: ImportJob, counts: ChunkCounts): Pick<JobEnd, 'status' | 'statusMessage' | 'reason'> {
  const applied = counts.created + counts.updated + counts.unchanged;
  if (job.status === 'CANCELLATION_IN_PROGRESS') {
    const remaining = job.isAtomic ? 'no row was applied' : remainingRows(applied);
    return { status: 'CANCELLED', statusMessage: `cancelled on request; ${remaining}` };
  }
  const failed = failedEnd(job, applied);
  if (failed !== null) return failed;
  // Its rows were applied.
  if (job.reason !== null && AFTER_ROWS.includes(job.reason) && !job.isAtomic) {
    return { status: 'COMPLETED_PARTIALLY', reason: job.reason, statusMessage: job.status_message ?? undefined };
  }
  if (job.reason !== null && REFUSED.includes(job.reason)) {
    return { status: 'REJECTED', reason: job.reason, statusMessage: job.status_message ?? undefined };
  }
  if (job.reason === ROWS_FAILED) return abortedEnd(counts.failed);
  return withRemoval(
    job.isDryRun ? dryRunEnd(counts) : endOf(counts),
    removalOf(job),
    job.status_message,
    job.isDryRun,
  );
}

function removalOf({ options }: ImportJob): RemovalReport | undefined {
  const { removal }: Partial<ImportOptions> = options;
  return removal;
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
