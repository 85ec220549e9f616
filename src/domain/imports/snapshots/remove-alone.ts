/** Goes on with a request whose rows were applied, and whose removals alone had to be approved. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { forgetPreview } from '../../changes/record-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { endJob } from '../../jobs/end-job.js';
import { forgetPreviewRows } from '../approval/preview-rows.js';
import type { ImportJob } from '../model/import-jobs.js';
import { orRefusal } from '../pipeline/or-refusal.js';
import { endOf } from '../pipeline/row-ends.js';
import { forgetItemsOfGoneFeed } from './feed-items.js';
import { removeMissing } from './remove-missing.js';
import { endWithRemoval, withReport } from './remove-with-rows.js';

/** Removes, and ends the job, in the transaction that has begun it. @returns what to enqueue after its commit */
export async function runRemovals(
  trx: Knex.Transaction,
  job: ImportJob,
  removing: { readonly db: Db; readonly version: number; readonly signal: AbortSignal },
): Promise<readonly OutboxEntry[]> {
  if (job.kind !== 'item') throw new Error(`job ${job.id} has no removals`);
  await forgetPreview(trx, job.id);
  const removal = await orRefusal(() => removeMissing(trx, { ...removing, job }));
  await trx('snapshot_sku').where({ job_id: job.id }).delete();
  await forgetPreviewRows(trx, job.id);
  await forgetItemsOfGoneFeed(trx, job.options.snapshot);
  const { created_count: created, updated_count: updated, unchanged_count: unchanged, error_count: failed } = job;
  const counts = { created, updated, unchanged, failed };
  const definitionsVersion = removing.version;
  if (removal instanceof RejectedInput) {
    const { reason, message: statusMessage } = removal;
    await endJob(trx, job.id, { status: 'COMPLETED_PARTIALLY', reason, statusMessage, definitionsVersion });
    return [];
  }
  await withReport(trx, job, removal);
  await endJob(trx, job.id, { ...endWithRemoval(job, endOf(counts), removal), counts, definitionsVersion });
  return removal?.outboxEntries ?? [];
}
