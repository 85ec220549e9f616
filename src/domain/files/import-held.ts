/** Imports a held file: its job gets its options and its place in the order. */
import type { Knex } from 'knex';
import type { File } from '../../../db/models/file.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { AcceptedType } from '../job-model/job-type.js';
import { scheduleHeldJob } from '../jobs/accept-job.js';
import { importRefusal } from './import-refusal.js';

/**
 * Call it as the last statement of `trx`: see acceptJobs. The file is locked before the job's position is assigned.
 * @returns what to enqueue once `trx` has committed; if it is empty, call releaseDue for the site then
 * @throws DomainError conflict or gone when the file does not wait for that
 */
export async function importHeldFile<Options>(
  trx: Knex.Transaction,
  { id, job_id: jobId }: Pick<File, 'id' | 'job_id'>,
  jobType: AcceptedType<string, Options>,
  options: Options,
): Promise<OutboxEntry[]> {
  // The job is locked before the file, in the same order as when it is cancelled or expires.
  const waits = await trx('job').where({ id: jobId, status: 'AWAITING_PROFILE' }).forNoKeyUpdate().first('id');
  if (waits === undefined || jobId === null) throw await importRefusal(trx, id);
  await trx('file').where({ id }).update({ expires_at: null });
  const { placed, outboxEntries } = await scheduleHeldJob(trx, jobId, jobType, options);
  if (!placed) throw await importRefusal(trx, id);
  return outboxEntries;
}
