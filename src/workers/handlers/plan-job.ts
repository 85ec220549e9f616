/** Begins a job when its turn has come: applies the rows of a request at once, or finds the chunks of a file. */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import type { Config } from '../../config/config.js';
import { IMPORT_HOOKS, type ImportJob, prepareDefinitions } from '../../domain/imports/import-jobs.js';
import { planFileJob } from '../../domain/imports/plan-file-job.js';
import { runInlineJob } from '../../domain/imports/run-inline-job.js';
import { type BeginOutcome, beginJob, presentEntries, releaseDue } from '../../domain/jobs/job-steps.js';
import { createSemaphore } from '../../platform/concurrency/semaphore.js';
import { withPriority } from '../../platform/time-slice.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { afterEnd, send } from '../after-step.js';
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
  async run(services, payload, signal) {
    const { jobId, dispatch } = payload;
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

  failed: (services, payload, error) => stepFailed(services, payload, error),
};

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
