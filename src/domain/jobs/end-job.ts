/** Ends one job: because its work is done, it was cancelled, or it failed by an internal error. */
import type { Knex } from 'knex';
import { endJobs } from './ends/end-jobs.js';
import type { JobEnd } from './model/job-end.js';

/**
 * Ends a job whose row the transaction has locked. With the same commit it leaves the ordering queue of its site and its
 * events are emitted. Call followEnd after the commit.
 * @throws InvariantViolation when it has ended already, or its counts do not add up
 */
export async function endJob(trx: Knex.Transaction, jobId: string, end: JobEnd): Promise<void> {
  await endJobs(trx, [{ jobId, ...end }]);
}
