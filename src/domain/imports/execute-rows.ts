/** Executes jobs whose rows came in their requests: one transaction begins them, applies their rows and ends them. */
import type { Knex } from 'knex';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { beginAlone } from '../jobs/begin-alone.js';
import { executeBatch } from '../jobs/execute-batch.js';
import type { FoundBatch } from '../jobs/model/found-batch.js';
import { type InlineServices, runInlineJob } from './execute/apply-alone.js';
import { applyBatch, type BatchedEnd } from './execute/apply-together.js';
import { IMPORT_HOOKS } from './import-hooks.js';
import type { ImportJob } from './model/import-jobs.js';

/** Executes small jobs of any sites in one transaction. A job that fails is undone by itself, and leaves the batch. */
export function executeTogether(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  services: Pick<InlineServices, 'loadApplier' | 'reader'>,
): ReturnType<typeof executeBatch<ImportJob, BatchedEnd>> {
  return executeBatch(trx, batches, IMPORT_HOOKS, (sites) => applyBatch(trx, sites, services));
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
