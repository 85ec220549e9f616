/** The step of a job with a snapshot that follows its last chunk: it removes what the file lacks, once, in one transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { lockAtomicJob } from '../../jobs/atomic-chunks.js';
import { enqueueStep, lockJobStep, recordNote } from '../../jobs/job-steps.js';
import type { StepPayload } from '../../jobs/model/step-payload.js';
import type { ImportJob } from '../model/import-jobs.js';
import { orRefusal } from '../pipeline/or-refusal.js';
import { inputOf } from './brake.js';
import { brakeMessage, removalMessage, SNAPSHOT_BRAKE } from './removal-end.js';
import { type ItemJob, type Removal, removeMissing } from './remove-missing.js';

const BEFORE_REMOVAL = 'before_removal';

/** @returns what to enqueue afterwards; empty when another worker has the job, or when it was cancelled */
export function removeAfterRows(
  db: Db,
  job: ItemJob,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<OutboxEntry[]> {
  return withRetries(db, async (trx) => {
    await lockAtomicJob(trx, job.id);
    await trx.raw(`SAVEPOINT ${BEFORE_REMOVAL}`);
    const removal = await orRefusal(() =>
      removeMissing(trx, { db, job, version: job.definitions_version ?? 0, signal }),
    );
    // Only now: the job's row is not locked while items are removed, so that the job can be cancelled.
    if ((await lockJobStep(trx, payload, 'apply-all')) === undefined) {
      await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_REMOVAL}`);
      return [];
    }
    const finish = await enqueueStep(trx, job.id, 'finish');
    if (removal === undefined) return [finish];
    await noteRemoval(trx, job, removal);
    return [finish, ...('outboxEntries' in removal ? removal.outboxEntries : [])];
  });
}

/** Records what became of it, for the end of the job. Call it after the step was enqueued, which has no message of its own yet. */
export async function noteRemoval(
  trx: Knex.Transaction,
  job: ImportJob,
  removal: Removal | RejectedInput,
): Promise<void> {
  if (job.kind !== 'item' || job.options.snapshot === undefined) return;
  const { snapshot } = job.options;
  if (removal instanceof RejectedInput) {
    return recordNote(trx, job.id, removal);
  }
  const { report, brake } = removal;
  const input = inputOf(job);
  const isStopped = report.stopped && brake !== null && !job.isDryRun;
  const message = isStopped
    ? brakeMessage(brake, job.isAtomic, input)
    : removalMessage(removal, snapshot, job.isDryRun, input);
  const note = { reason: isStopped ? SNAPSHOT_BRAKE : undefined, message: message ?? null };
  await recordNote(trx, job.id, note, { removal: report });
}
