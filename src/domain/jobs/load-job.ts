/** Loads jobs for those that execute them, or that wait for their ends. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Job as JobModel, type JobRow } from '../../../db/models/job.js';
import { type JobTypes, type LoadedJob, parseJob } from './model/job-type.js';

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
