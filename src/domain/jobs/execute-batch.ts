/** Executes small jobs together: one transaction begins them, applies their rows and ends them. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { beginJobs } from './begin/begin-jobs.js';
import { holdUnfinished, leaveBatch } from './begin/leave-batch.js';
import { type EndedJob, type EndingJob, endJobs } from './ends/end-jobs.js';
import type { BeginHooks } from './model/begin-hooks.js';
import type { BegunJob, BegunSite } from './model/begun-job.js';
import type { FoundBatch } from './model/found-batch.js';

/** What came of the rows of a batch within its transaction. */
interface AppliedBatch<Job extends LoadedJob, End extends EndingJob> {
  readonly ends: readonly End[];
  /** What to enqueue once the transaction has committed, besides what the ends ask for. */
  readonly outboxEntries: readonly OutboxEntry[];
  /**
   * Jobs that could not be executed here, at most one a site; they and those after them are still to be executed. So are
   * jobs that are neither among these nor among the ends: the time of the batch was over.
   */
  readonly failed: readonly BegunJob<Job>[];
}

/** What came of small jobs that were executed together. */
interface ExecutedBatch<Job extends LoadedJob, End extends EndingJob> {
  readonly ends: readonly End[];
  readonly ended: readonly EndedJob[];
  /** What to enqueue once the transaction has committed, besides what follows from the ends. */
  readonly outboxEntries: readonly OutboxEntry[];
  /** The sites whose job is held because another transaction is at it: call releaseDue for these after the commit. */
  readonly heldSiteIds: readonly number[];
  /** The jobs that could not be executed together with others: each is enqueued to be executed by itself. */
  readonly left: readonly Job[];
}

/**
 * Executes small jobs of any sites in one transaction.
 * @param apply applies the rows of the jobs that have begun, and undoes those of a job that fails
 */
export async function executeBatch<Job extends LoadedJob, End extends EndingJob>(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  hooks: BeginHooks<Job>,
  apply: (sites: readonly BegunSite<Job>[]) => Promise<AppliedBatch<Job, End>>,
): Promise<ExecutedBatch<Job, End>> {
  const { sites, heldSiteIds } = await beginJobs(trx, batches, hooks);
  const { ends, outboxEntries, failed } = await apply(sites);
  const ended = await endJobs(trx, ends);
  const entries = [...outboxEntries];
  for (const { job, position } of failed) entries.push(...(await leaveBatch(trx, job.site_id, position)));
  const executed = new Set([...ends.map(({ jobId }) => jobId), ...failed.map(({ job }) => job.id)]);
  // The others were held when it was seen that they cannot begin.
  const begun = new Set(sites.map(({ siteId }) => siteId));
  const late = batches.filter(({ siteId }) => begun.has(siteId));
  await holdUnfinished(trx, late, executed);
  return { ends, ended, outboxEntries: entries, heldSiteIds, left: failed.map(({ job }) => job) };
}
