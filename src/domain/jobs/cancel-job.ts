/** Cancels a job: at once while nothing of it runs, else within a chunk. */
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { dispatchFinish } from './advance-job.js';
import { endJob } from './end-job.js';
import { isWholeJob } from './whole-job.js';

export interface Cancellation {
  /** What to enqueue once committed. */
  readonly dispatches: Dispatch[];
  /** Whether the job has ended already. */
  readonly ended: boolean;
}

/**
 * Asking twice is no error; what was applied before stays and is counted.
 * @throws DomainError conflict when the job has ended otherwise, or has only its report to write and could not be undone
 */
export function cancelJob(db: Db, siteId: number, jobId: string): Promise<Cancellation> {
  return withRetries(db, async (trx) => {
    // No stronger lock: chunks that record errors share the job's row, one after another, and would keep us waiting.
    const job = await Job.query(trx).findById(jobId).where({ site_id: siteId }).forNoKeyUpdate();
    if (job === undefined) throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId}`);
    if (job.status === 'CANCELLED' || job.status === 'CANCELLATION_IN_PROGRESS') {
      return { dispatches: [], ended: job.completed_at !== null };
    }
    if (job.completed_at !== null) {
      throw new DomainError(
        'conflict',
        'JOB_ENDED',
        `the job has ended as ${job.status} and can no longer be cancelled`,
      );
    }
    if (job.status === 'AWAITING_UPLOAD' || job.status === 'SCHEDULED') {
      await endJob(trx, jobId, { status: 'CANCELLED', statusMessage: 'cancelled on request before it began' });
      if (job.input_file_id !== null) {
        await trx('file').where({ id: job.input_file_id, status: 'AWAITING_UPLOAD' }).update({ status: 'EXPIRED' });
      }
      return { dispatches: [], ended: true };
    }
    if (job.step === 'finish' && isWholeJob(job)) {
      const message =
        'the rows of the job were carried out as a whole, it is about to end; it can no longer be cancelled';
      throw new DomainError('conflict', 'JOB_ENDED', message);
    }
    if (job.kind === 'export') {
      // Its worker finds out within a second, and what it has written until then is seen by nobody.
      await endJob(trx, jobId, { status: 'CANCELLED', statusMessage: 'cancelled on request; no file was written' });
      return { dispatches: [], ended: true };
    }
    if (job.kind === 'replay') {
      const statusMessage = `cancelled on request; the ${job.processed_count} deliveries begun again before go on`;
      await endJob(trx, jobId, { status: 'CANCELLED', statusMessage });
      return { dispatches: [], ended: true };
    }
    await trx('job').where({ id: jobId }).update({ status: 'CANCELLATION_IN_PROGRESS' });
    // The finish waits for the chunks in the middle of their transaction; all others find the job cancelled.
    return { dispatches: job.step === 'finish' ? [] : [await dispatchFinish(trx, jobId)], ended: false };
  });
}
