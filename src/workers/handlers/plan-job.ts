/** Begins a job when its turn has come: applies the rows of a request at once, or finds the chunks of a file. */
import { withRetries } from '../../../db/with-retries.js';
import { type ExecutedAlone, executeAlone } from '../../domain/imports/execute-rows.js';
import { IMPORT_HOOKS } from '../../domain/imports/import-hooks.js';
import { prepareDefinitions } from '../../domain/imports/prepare-definitions.js';
import { findBatches } from '../../domain/jobs/find-batches.js';
import { splitBatch } from '../../domain/jobs/job-batch.js';
import { presentEntries } from '../../domain/jobs/present-entries.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import { withPriority } from '../../platform/time-slice.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep, Handler, PlanFile, RowsOfJobs, RunInline } from '../handler.js';
import { inTurn } from '../plan/large-requests.js';
import { runBatch } from '../plan/run-batch.js';

type Step = PayloadOf<typeof planJob>;

/** What the handler does with a file. Requests need none of it. */
interface Files {
  readonly planFile: PlanFile;
  readonly runInline: RunInline;
}

export function planJobHandler(
  after: AfterStep,
  rowsOfJobs: RowsOfJobs,
  { planFile, runInline }: Files,
): Handler<Step> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, step, signal) {
      const { db, config, fileStore } = services;
      const { batches } = await findBatches(db, [step], IMPORT_HOOKS);
      for (const { accountId } of batches) services.contention?.notice(accountId);
      if (!step.suspect && batches.length > 0) {
        await runBatch(after, { ...services, rowsOfJobs }, batches);
        return;
      }
      for (const batch of batches) await splitBatch(db, batch, true);
      const { outcome, outboxEntries, seconds } = await execute(services, rowsOfJobs, step, signal);
      // An earlier run of this step may have ended before it enqueued what follows. Enqueueing it twice is harmless.
      if (outcome.kind === 'stale') return after.send(services, await presentEntries(db, step.jobId, step.suspect));
      // A job that ended after this step read the front did not see that this job is held.
      if (outcome.kind === 'held') return after.send(services, await releaseDue(db, [outcome.siteId]));
      const { id: jobId, type, total_count: rows, input_file_id: file } = outcome.begun.job;
      services.logger.info({ jobId, type, ...(rows === null ? {} : { rows }) }, 'a job has begun');
      if (file !== null) {
        const files = { db, fileStore, rowsOfJobs, chunkRows: config.chunkRows };
        const planned = await planFile(files, outcome.begun.job, step.dispatch, outcome.definitionsVersion, signal);
        if (planned.isOneChunk) await runInline(services, planned.outboxEntries, signal);
        else await after.send(services, planned.outboxEntries);
        if (planned.ended) await after.afterEnd(services, jobId);
        return;
      }
      await after.afterEnd(services, jobId, seconds);
      await after.send(services, outboxEntries);
    },

    suspected: (services, step) => after.stepSuspected(services, { queue: 'plan', payload: step }),
    failed: after.stepFailed,
  };
}

/** Begins the job by itself. @returns also how long its transaction took */
async function execute(
  services: WorkerServices,
  { loadApplier }: RowsOfJobs,
  step: Step,
  signal: AbortSignal,
): Promise<ExecutedAlone & { readonly seconds: number }> {
  const { db, config } = services;
  const { accountId, isFile, small } = await prepareDefinitions(db, step.jobId);
  if (accountId !== '') services.contention?.notice(accountId);
  let began = 0;
  const begin = () =>
    withRetries(db, (trx) => {
      began = performance.now();
      return executeAlone(trx, step, { db, loadApplier, reader: config.importReader, signal });
    });
  const beginInTurn = () => inTurn(services, accountId, begin);
  // To begin a file is little work: its rows are read afterwards.
  const executed = await (small ? withPriority(begin) : isFile ? begin() : beginInTurn());
  return { ...executed, seconds: (performance.now() - began) / 1000 };
}
