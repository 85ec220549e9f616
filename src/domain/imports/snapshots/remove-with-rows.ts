/** Removes what a request lacks, in the transaction that applies its rows and ends its job. */
import type { Knex } from 'knex';
import { besides } from '../../../../db/besides.js';
import type { Db } from '../../../../db/connection.js';
import { forgetPreview } from '../../changes/record-changes.js';
import { recordNote } from '../../jobs/job-steps.js';
import type { HowItEnds } from '../../jobs/model/job-end.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import { forgetPreviewRows } from '../approval/preview-rows.js';
import type { ImportJob } from '../model/import-jobs.js';
import { forgetItemsOfGoneFeed } from './feed-items.js';
import { brakeMessage, removalMessage, SNAPSHOT_BRAKE, waitingMessage, withRemoval } from './removal-end.js';
import { type Removal, removeMissing } from './remove-missing.js';

interface Removing {
  readonly db: Db;
  readonly version: number;
  readonly signal: AbortSignal;
}

/** @returns undefined when the job has no snapshot @throws RejectedInput when what it names is not there any more */
export async function removeWithRows(
  trx: Knex.Transaction,
  job: ImportJob,
  removing: Removing,
  result: ChunkResult,
): Promise<Removal | undefined> {
  if (job.kind !== 'item' || job.options.snapshot === undefined) return undefined;
  if (job.isDryRun) {
    // What it would remove is recorded besides, and may have been by an attempt that was undone.
    await besides(removing.db, async (other) => {
      await forgetPreview(other, job.id);
      await forgetPreviewRows(other, job.id);
    });
  }
  const { mode } = job.options;
  // An insert is not to change the items that are there, whose rows fail for that alone.
  const failing = result.failures.filter(
    ({ problems }) => mode !== 'insert' || problems.some(({ code }) => code !== 'SKU_EXISTS'),
  );
  const failed = new Set(failing.map(({ row }) => row)).size;
  const removal = await removeMissing(trx, { ...removing, job, failed });
  if (removal?.waits === undefined) await trx('snapshot_sku').where({ job_id: job.id }).delete();
  await forgetItemsOfGoneFeed(trx, job.options.snapshot);
  return removal;
}

/** The job with what became of the items that it lacks, which is recorded. */
export async function withReport<Job extends ImportJob>(
  trx: Knex.Transaction,
  job: Job,
  removal: Removal | undefined,
): Promise<Job> {
  if (removal === undefined) return job;
  const { report, scopeKey, waits } = removal;
  const options = { removal: report, scopeKey, ...(waits === undefined ? {} : { approval: waits }) };
  await recordNote(trx, job.id, { message: null, options });
  return { ...job, options: { ...job.options, ...options } };
}

/** Whether the brake holds, so that nothing is removed. */
export function isStopped(job: ImportJob, removal: Removal | undefined): boolean {
  return removal?.report.stopped === true && !job.isDryRun;
}

/** @param end that of the job if nothing were missing */
export function endWithRemoval(job: ImportJob, end: HowItEnds, removal: Removal | undefined): HowItEnds {
  if (removal === undefined || job.kind !== 'item' || job.options.snapshot === undefined) return end;
  const { onError, snapshot } = job.options;
  if (isStopped(job, removal)) {
    const isAtomic = onError === 'abort';
    if (removal.waits !== undefined) {
      return { status: 'AWAITING_APPROVAL', reason: SNAPSHOT_BRAKE, statusMessage: waitingMessage(removal, job.id) };
    }
    const statusMessage = brakeMessage(removal.brake ?? '', isAtomic, 'request');
    return { status: isAtomic ? 'REJECTED' : 'COMPLETED_PARTIALLY', reason: SNAPSHOT_BRAKE, statusMessage };
  }
  const message = removalMessage(removal, snapshot, job.isDryRun, 'request') ?? null;
  return withRemoval(end, removal.report, message, job.isDryRun);
}
