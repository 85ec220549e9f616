/** Executes jobs whose rows came in their requests: one transaction begins them, applies their rows and ends them. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { beginAlone, beginJobs } from '../jobs/begin-jobs.js';
import { type EndedJob, endJobs } from '../jobs/end-job.js';
import type { FoundBatch } from '../jobs/find-batches.js';
import { holdUnfinished, leaveBatch } from '../jobs/job-batch.js';
import type { StepPayload } from '../jobs/model/step-payload.js';
import { type InlineServices, runInlineJob } from './execute/apply-alone.js';
import { applyBatch, type BatchedEnd } from './execute/apply-together.js';
import { IMPORT_HOOKS } from './import-hooks.js';
import type { ImportJob } from './model/import-jobs.js';
import type { RowReaderName } from './model/row-applier.js';

export type { BatchedEnd };

/** What came of small jobs that were executed together. */
export interface ExecutedTogether {
  /** How each job ended, and how many rows it had. */
  readonly ends: readonly BatchedEnd[];
  readonly ended: readonly EndedJob[];
  /** What to enqueue once the transaction has committed, besides what follows from the ends. */
  readonly outboxEntries: readonly OutboxEntry[];
  /** The sites whose job is held because another transaction is at it: call releaseDue for these after the commit. */
  readonly heldSiteIds: readonly number[];
  /** The jobs that could not be executed together with others: each is enqueued to be executed by itself. */
  readonly left: readonly ImportJob[];
}

/** Executes small jobs of any sites in one transaction. A job that fails is undone by itself, and leaves the batch. */
export async function executeTogether(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  reader: RowReaderName,
): Promise<ExecutedTogether> {
  const { sites, heldSiteIds } = await beginJobs(trx, batches, IMPORT_HOOKS);
  const { ends, outboxEntries, failed } = await applyBatch(trx, sites, reader);
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

/** What came of a job that was begun by itself. The rows of a request were applied, and their job has ended. */
export interface ExecutedAlone {
  readonly outcome: Awaited<ReturnType<typeof beginAlone<ImportJob>>>;
  /** What to enqueue once the transaction has committed, besides what follows from the end of the job. */
  readonly outboxEntries: readonly OutboxEntry[];
}

/** Begins a job by itself: of a large request, one whose rows are applied all or none, or of a file. */
export async function executeAlone(
  trx: Knex.Transaction,
  step: StepPayload,
  services: InlineServices,
): Promise<ExecutedAlone> {
  const outcome = await beginAlone(trx, step, IMPORT_HOOKS);
  const isOfRows = outcome.kind === 'begun' && outcome.begun.job.input_file_id === null;
  const outboxEntries = isOfRows ? await runInlineJob(trx, outcome.begun, outcome.definitionsVersion, services) : [];
  return { outcome, outboxEntries };
}
