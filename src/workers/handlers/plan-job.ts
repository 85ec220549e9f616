/** Begins a job when its turn has come: applies the rows of a request at once, or finds the chunks of a file. */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import type { Config } from '../../config/config.js';
import { IMPORT_HOOKS, type ImportJob, prepareDefinitions } from '../../domain/imports/import-jobs.js';
import { planFileJob } from '../../domain/imports/plan-file-job.js';
import { applyBatch, runInlineJob } from '../../domain/imports/run-inline-job.js';
import {
  beginBatch,
  endBatch,
  type FoundBatch,
  findBatch,
  followBatch,
  leaveBatch,
  splitBatch,
} from '../../domain/jobs/job-batch.js';
import { type BeginOutcome, beginJob, presentEntries, releaseDue } from '../../domain/jobs/job-steps.js';
import { createSemaphore } from '../../platform/concurrency/semaphore.js';
import { withPriority } from '../../platform/time-slice.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { afterEnd, send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import type { Handler } from '../handler.js';
import { runInline } from '../inline-execution.js';
import { stepFailed } from '../step-failed.js';

type Payload = PayloadOf<typeof planJob>;

/**
 * Large requests that run at the same time: one computes while the database stores the rows of the other. More would
 * not be faster, and each needs about 20 MB.
 */
const largeRequests = createSemaphore(2);

export const planJobHandler: Handler<Payload> = {
  async run(services, payload, signal, starts = 1) {
    const { jobId, dispatch } = payload;
    const batch = await findBatch(services.db, payload, IMPORT_HOOKS);
    if (batch !== null && starts === 1) {
      return send(services, await withPriority(() => runBatch(services, batch, payload)));
    }
    if (batch !== null) await splitBatch(services.db, batch);
    const { small } = await prepareDefinitions(services.db, jobId);
    const begin = () => withRetries(services.db, (trx) => beginAndRun(trx, payload, services.config.importReader));
    const { begun: outcome, outboxEntries } = await (small ? withPriority(begin) : largeRequests(begin));
    // An earlier run of this step may have ended before it enqueued what follows. Enqueueing it twice is harmless.
    if (outcome.kind === 'stale') return send(services, await presentEntries(services.db, jobId));
    // A job that ended after this step read the front did not see that this job is held.
    if (outcome.kind === 'held') return send(services, await releaseDue(services.db, outcome.siteId));
    if (outcome.job.input_file_id === null) {
      await afterEnd(services, jobId);
      return send(services, outboxEntries);
    }
    const { db, fileStore, config } = services;
    const files = { db, fileStore, chunkRows: config.chunkRows };
    const planned = await planFileJob(files, outcome.job, dispatch, outcome.definitionsVersion, signal);
    if (planned.isOneChunk) await runInline(services, planned.outboxEntries, signal);
    else await send(services, planned.outboxEntries);
    if (planned.ended) await afterEnd(services, jobId);
  },

  failed: stepFailed,
};

/** Executes small requests of one site in one transaction. @returns what to enqueue now that it has committed */
async function runBatch(
  { db, config: { importReader }, logger }: WorkerServices,
  batch: FoundBatch,
  payload: Payload,
): Promise<OutboxEntry[]> {
  const { siteId } = batch;
  const { ends, entries } = await withRetries(db, async (trx) => {
    const begun = await beginBatch(trx, batch, payload, IMPORT_HOOKS);
    if (begun.kind === 'held') return { ends: [], entries: [] };
    const applied = await applyBatch(trx, begun.jobs, begun.definitionsVersion, importReader);
    await endBatch(trx, siteId, begun.definitionsVersion, applied.ends);
    if (applied.failed === null) return { ends: applied.ends, entries: applied.outboxEntries };
    const { job, position } = applied.failed;
    logger.info({ jobId: job.id }, 'a job could not be executed within its batch, and is executed by itself');
    return { ends: applied.ends, entries: [...applied.outboxEntries, ...(await leaveBatch(trx, siteId, position))] };
  });
  return [...entries, ...(await followBatch(db, siteId, ends))];
}

/** Begins a job. A job with the rows of a request begins and ends in this one transaction. */
async function beginAndRun(
  trx: Knex.Transaction,
  payload: Payload,
  reader: Config['importReader'],
): Promise<{ readonly begun: BeginOutcome<ImportJob>; readonly outboxEntries: readonly OutboxEntry[] }> {
  const begun = await beginJob(trx, payload, IMPORT_HOOKS);
  if (begun.kind === 'begun' && begun.job.input_file_id === null) {
    return { begun, outboxEntries: await runInlineJob(trx, begun.job, begun.definitionsVersion, reader) };
  }
  return { begun, outboxEntries: [] };
}
