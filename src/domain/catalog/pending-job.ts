/** Refuses a change that a job in line could contradict. */
import type { Db } from '../../../db/connection.js';
import { Job, type JobKind } from '../../../db/models/job.js';
import { DomainError } from '../kernel/errors.js';

/**
 * Throws while a job of one of the kinds stands in the site's line. Call it under the definitions' lock: a job that is
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
    .select('id', 'kind')
    .where({ site_id: siteId })
    .whereNull('completed_at')
    .whereNotNull('line_no')
    .whereIn('kind', [...kinds])
    .orderBy('line_no')
    .first();
  if (job === undefined) return;
  const message = `${change} is not possible while ${job.kind} job ${job.id} is pending: wait for its end or cancel it, then try again`;
  throw new DomainError('conflict', 'JOB_PENDING', message);
}
