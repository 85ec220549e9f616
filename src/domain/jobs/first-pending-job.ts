/** Finds the job for whose end a change of definitions has to wait. */
import type { Knex } from 'knex';
import { Job, type JobRow } from '../../../db/models/job.js';

/** Finds the first job of the given types in the ordering queue of a site that has not ended. */
export async function firstPendingJob(
  trx: Knex.Transaction,
  siteId: number,
  jobTypes: readonly string[],
): Promise<Pick<JobRow, 'id' | 'kind'> | undefined> {
  return Job.query(trx)
    .select('job.id', 'job.kind')
    .joinRaw('JOIN job_order ON job_order.job_id = job.id')
    .where({ 'job_order.site_id': siteId })
    .whereNot({ 'job_order.state': 'e' })
    .whereNull('job.completed_at')
    .whereIn('job.kind', [...jobTypes])
    .orderBy('job_order.position')
    .first();
}
