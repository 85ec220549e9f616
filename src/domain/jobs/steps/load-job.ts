/** Loads jobs for those that execute them. */
import { raw } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Job as JobModel } from '../../../../db/models/job.js';
import { type JobTypes, type LoadedJob, parseJob } from '../../job-model/job-type.js';

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
