/** Refuses a change that a job which has not ended could contradict. */
import type { Db } from '../../../../db/connection.js';
import { firstPendingJob } from '../../jobs/read-job.js';
import { DomainError } from '../../kernel/errors.js';

/** The types of jobs that write what the catalog asks about. */
export type CatalogJobs = 'item' | 'attribute';

/**
 * Throws while a job of one of the types has a place in the site's order. Call it under the definitions' lock: a job that is
 * accepted later begins after the change.
 * @throws DomainError conflict JOB_PENDING naming the first such job
 */
export async function refuseWhileJobPending(
  trx: Db,
  siteId: number,
  jobTypes: readonly CatalogJobs[],
  change: string,
): Promise<void> {
  const job = await firstPendingJob(trx, siteId, jobTypes);
  if (job === undefined) return;
  const message = `${change} is not possible while ${job.kind} job ${job.id} is pending: wait for its end or cancel it, then try again`;
  throw new DomainError('conflict', 'JOB_PENDING', message);
}
