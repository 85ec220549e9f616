/** Reads one job as clients see it. */
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { type FoundJob, withNames, withState } from './read/shown-state.js';

/**
 * Loads a job with its current counts: while it runs, they are summed over the chunks that are done.
 * @throws DomainError not-found
 */
export async function findJob(db: Db, siteId: number, jobId: string): Promise<FoundJob> {
  const [job] = isId(jobId) ? await withNames(db).where({ id: jobId, site_id: siteId }) : [];
  if (job === undefined) {
    throw new DomainError(
      'not-found',
      'JOB_NOT_FOUND',
      `there is no job ${jobId.slice(0, 60)} in this account and stage`,
    );
  }
  return (await withState(db, [job]))[0] ?? job;
}
