/** Cancels jobs, whatever their steps are doing. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job, type JobRow } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { approvalOf } from '../job-model/approval.js';
import { type JobTypes, parseJob, typeOf } from '../job-model/job-type.js';
import { DomainError } from '../kernel/errors.js';
import { endJob } from './end-job.js';
import { recordNothingWritten } from './ends/nothing-written.js';
import { dropRemovals, NOTHING_REMOVED } from './ends/waiting-removals.js';
import { PATIENCE_MS, withoutSteps } from './failure/stop-steps.js';
import { enqueueStep } from './steps/enqueue-step.js';

interface Cancellation {
  /** What to enqueue once committed. */
  readonly outboxEntries: OutboxEntry[];
  /** Whether the job has ended already. */
  readonly ended: boolean;
}

/**
 * Cancels a job, whatever its steps are doing: a transaction of theirs that keeps the job's row locked is ended. A job
 * with chunks is ended by its finish step. A second cancellation is no error. Rows applied before stay and are counted.
 * @throws DomainError conflict when the job has ended otherwise, or is atomic and its rows are already committed
 */
export function cancelJob(
  db: Db,
  types: JobTypes,
  siteId: number,
  jobId: string,
  record: (trx: Knex.Transaction) => Promise<void> = async () => undefined,
): Promise<Cancellation> {
  return withoutSteps(db, jobId, PATIENCE_MS, async (trx, stepsEnded) => {
    // No stronger lock: chunks that record errors take shared locks on the job's row (foreign key), one after another,
    // and would keep this statement waiting.
    const row = await Job.query(trx).findById(jobId).where({ site_id: siteId }).forNoKeyUpdate();
    if (row === undefined) throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId}`);
    if (row.status === 'CANCELLED' || row.status === 'CANCELLATION_IN_PROGRESS') {
      return { outboxEntries: [], ended: row.completed_at !== null };
    }
    if (row.completed_at !== null) {
      const message = `the job has ended as ${row.status} and can no longer be cancelled`;
      throw new DomainError('conflict', 'JOB_ENDED', message);
    }
    await record(trx);
    if (['AWAITING_UPLOAD', 'AWAITING_PROFILE', 'AWAITING_APPROVAL', 'SCHEDULED'].includes(row.status)) {
      const began = stepsEnded > 0 ? '; no row was applied' : ' before it began';
      const isApplied = approvalOf(row.options)?.only !== undefined;
      const waited = ` while it waited for an approval; ${isApplied ? NOTHING_REMOVED : 'nothing was written'}`;
      const isWaiting = row.status === 'AWAITING_APPROVAL';
      if (isApplied) await dropRemovals(trx, [jobId]);
      else if (isWaiting) await forgetPreviewed(trx, jobId);
      await endJob(trx, jobId, {
        status: 'CANCELLED',
        statusMessage: `cancelled on request${isWaiting ? waited : isApplied ? `; ${NOTHING_REMOVED}` : began}`,
      });
      if (row.input_file_id !== null) {
        await trx('file').where({ id: row.input_file_id, status: 'AWAITING_UPLOAD' }).update({ status: 'EXPIRED' });
        // Nothing can be done with a held file any more: its bytes are deleted with the next that have expired.
        if (row.status === 'AWAITING_PROFILE')
          await trx('file').where({ id: row.input_file_id }).update({ expires_at: trx.fn.now() });
      }
      return { outboxEntries: [], ended: true };
    }
    return cancelRunning(trx, types, row);
  });
}

async function forgetPreviewed(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx('preview_row').where({ job_id: jobId }).delete();
  await recordNothingWritten(trx, [jobId]);
}

async function cancelRunning(trx: Knex.Transaction, types: JobTypes, row: JobRow): Promise<Cancellation> {
  const { id, step } = row;
  const { oneStep } = typeOf(types, row);
  if (oneStep !== undefined) {
    await endJob(trx, id, { status: 'CANCELLED', statusMessage: oneStep.cancelled(row.processed_count) });
    return { outboxEntries: [], ended: true };
  }
  if (step === 'finish' && parseJob(types, row).isAtomic) {
    const message =
      'all rows of the job were applied in one transaction and it is about to end; it can no longer be cancelled';
    throw new DomainError('conflict', 'JOB_ENDED', message);
  }
  await trx('job').where({ id }).update({ status: 'CANCELLATION_IN_PROGRESS' });
  // The finish step closes the chunks whose transaction is running; all other chunks find the job cancelled.
  return { outboxEntries: step === 'finish' ? [] : [await enqueueStep(trx, id, 'finish')], ended: false };
}
