/** Tries the import of a held file, which stays held: the trial is a job of its own that reads the same bytes. */
import type { Knex } from 'knex';
import type { File } from '../../../db/models/file.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { AcceptedType } from '../job-model/job-type.js';
import { acceptJob } from '../jobs/accept-job.js';
import { importRefusal } from './import-refusal.js';

type NewJob<Options> = Parameters<typeof acceptJob<string, Options>>[1] & {
  readonly jobType: AcceptedType<string, Options>;
};

/**
 * Call it as the last statement of `trx`: see acceptJobs. The time of holding begins anew, for somebody is at work.
 * @returns what to enqueue once `trx` has committed; if it is empty, call releaseDue for the site then
 * @throws DomainError conflict or gone when the file is not held
 */
export async function previewHeldFile<Options>(
  trx: Knex.Transaction,
  { id: fileId, job_id: heldId }: Pick<File, 'id' | 'job_id'>,
  job: NewJob<Options>,
): Promise<OutboxEntry[]> {
  // The job is locked before the file, in the same order as when it is cancelled or expires.
  const waits = await trx('job').where({ id: heldId, status: 'AWAITING_PROFILE' }).forNoKeyUpdate().first('id');
  if (waits === undefined || heldId === null) throw await importRefusal(trx, fileId);
  await trx('file')
    .where({ id: fileId })
    .update({ expires_at: trx.raw("now() + hold_hours * interval '1 hour'") });
  return acceptJob(trx, job, { kind: 'file', fileId });
}
