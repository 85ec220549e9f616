/** Rejects a file: its job ends, and the file is kept for a while only. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { RejectedInput } from '../../formats/model/rejected-input.js';
import { endJob } from '../../jobs/end-job.js';
import { lockJobStep } from '../../jobs/job-steps.js';

/** How long the bytes of a rejected file stay: long enough for somebody to look at what was sent. */
const KEEP_REJECTED = "interval '24 hours'";

/** A held file stays as long as it would have, whatever a trial of it has found. */
async function expireInput(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw(
    `UPDATE file SET expires_at = now() + ${KEEP_REJECTED} FROM job
     WHERE job.id = ? AND file.id = job.input_file_id AND file.job_id = job.id AND file.status = 'UPLOADED'`,
    [jobId],
  );
}

/** @returns false when another worker has taken over the job */
export function reject(db: Db, payload: StepPayload, error: RejectedInput): Promise<boolean> {
  return db.transaction(async (trx) => {
    if ((await lockJobStep(trx, payload, 'plan')) === undefined) return false;
    await endJob(trx, payload.jobId, { status: 'REJECTED', reason: error.reason, statusMessage: error.message });
    await expireInput(trx, payload.jobId);
    return true;
  });
}
