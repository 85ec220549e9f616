/** Reads one job: for those that execute it, and as clients see it. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Job as JobModel, type JobRow } from '../../../db/models/job.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { type JobTypes, type LoadedJob, parseJob } from './model/job-type.js';
import { type FoundJob, withNames, withState } from './read/shown-state.js';

/**
 * Loads a job to be executed, with its options and plan parsed.
 * @param besides SQL: what to select in addition to the job's columns
 * @returns undefined when there is no such job
 */
export async function loadJob<Job extends LoadedJob>(
  db: Db,
  types: JobTypes<Job>,
  jobId: string,
  besides?: string,
): Promise<Job | undefined> {
  const query = JobModel.query(db).findById(jobId);
  const row = await (besides === undefined ? query : query.select('job.*', raw(besides)));
  return row === undefined ? undefined : parseJob(types, row);
}

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

/** Finds the first job of the given types in the ordering queue of a site that has not ended. */
export async function firstPendingJob(
  trx: Knex.Transaction,
  siteId: number,
  jobTypes: readonly string[],
): Promise<Pick<JobRow, 'id' | 'kind'> | undefined> {
  return JobModel.query(trx)
    .select('job.id', 'job.kind')
    .joinRaw('JOIN job_order ON job_order.job_id = job.id')
    .where({ 'job_order.site_id': siteId })
    .whereNot({ 'job_order.state': 'e' })
    .whereNull('job.completed_at')
    .whereIn('job.kind', [...jobTypes])
    .orderBy('job_order.position')
    .first();
}
