/** Refuses a change that a job which has not ended could contradict. */
import type { Db } from '../../../../db/connection.js';
import { Job, type JobKind } from '../../../../db/models/job.js';
import { DomainError } from '../../kernel/errors.js';

/**
 * Throws while a job of one of the kinds has a place in the site's order. Call it under the definitions' lock: a job that is
 * accepted later begins after the change.
 * @throws DomainError conflict JOB_PENDING naming the first such job
 */
export async function refuseWhileJobPending(
  trx: Db,
  siteId: number,
  kinds: readonly JobKind[],
  change: string,
): Promise<void> {
  const job = await Job.query(trx)
    .select('job.id', 'job.kind')
    .joinRaw('JOIN job_order ON job_order.job_id = job.id')
    .where({ 'job_order.site_id': siteId })
    .whereNot({ 'job_order.state': 'e' })
    .whereNull('job.completed_at')
    .whereIn('job.kind', [...kinds])
    .orderBy('job_order.position')
    .first();
  if (job === undefined) return;
  const message = `${change} is not possible while ${job.kind} job ${job.id} is pending: wait for its end or cancel it, then try again`;
  throw new DomainError('conflict', 'JOB_PENDING', message);
}
