/** Refuses a change that could contradict an unfinished job. */
import type { Knex } from 'knex';
import { Job } from '../../../db/models/job.js';
import { DomainError } from '../kernel/errors.js';

/** The job types whose pending jobs can contradict a change of the catalog. */
export type CatalogJobs = 'item' | 'attribute';

/**
 * Throws while a job of one of the types is in the site's ordering queue. Call it under the lock of the definitions, so
 * that a job that is accepted later begins after the change.
 * @throws DomainError conflict JOB_PENDING naming the first such job
 */
export async function refuseWhileJobPending(
  trx: Knex.Transaction,
  siteId: number,
  jobTypes: readonly CatalogJobs[],
  change: string,
): Promise<void> {
  const job = await Job.query(trx)
    .select('job.id', 'job.kind')
    .joinRaw('JOIN job_order ON job_order.job_id = job.id')
    .where({ 'job_order.site_id': siteId })
    .whereNot({ 'job_order.state': 'e' })
    .whereNull('job.completed_at')
    .whereIn('job.kind', [...jobTypes])
    .orderBy('job_order.position')
    .first();
  if (job === undefined) return;
  const message = `${change} is not possible while ${job.kind} job ${job.id} is pending: wait for its end or cancel it, then try again`;
  throw new DomainError('conflict', 'JOB_PENDING', message);
}
