/** Begins a job when its turn has come; carries out a request's rows at once, and finds the chunks of a file. */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import type { Config } from '../../config/config.js';
import { IMPORT_HOOKS } from '../../domain/imports/begin-hooks.js';
import { planFileJob } from '../../domain/imports/plan-file-job.js';
import { runInlineJob } from '../../domain/imports/run-inline-job.js';
import { type BeginOutcome, beginJob, prepareDefinitions } from '../../domain/jobs/begin-job.js';
import { recordStepFailure } from '../../domain/jobs/job-failure.js';
import { presentDispatches } from '../../domain/jobs/lost-dispatches.js';
import { releaseDue } from '../../domain/jobs/site-order.js';
import { createTurnstile } from '../../platform/concurrency/turnstile.js';
import { urgently } from '../../platform/time-slice.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { Dispatch } from '../../queues/outbox.js';
import { afterEnd, send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import type { Handler } from '../handler.js';
import { runInOneHop } from '../one-hop.js';

type Payload = PayloadOf<typeof planJob>;

/**
 * Large requests carried out at once: one computes while another's rows are on their way into the database. More would
 * not be faster, and each takes some 20 MB.
 */
const atOnce = createTurnstile(2);

export const planJobHandler: Handler<Payload> = {
  async run(services, { jobId, dispatch }, signal) {
    const { small } = await prepareDefinitions(services.db, jobId, IMPORT_HOOKS);
    const begin = () =>
      withRetries(services.db, (trx) => beginAndRun(trx, jobId, dispatch, services.config.importReader));
    const { begun: outcome, told } = await (small ? urgently(begin) : atOnce(begin));
    // Who ran this before us may have died, or been told to stop, before the queue knew what follows. Telling it twice does nothing.
    if (outcome.kind === 'stale') return send(services, await presentDispatches(services.db, jobId));
    // A job that ended after we read the front did not see that we are held.
    if (outcome.kind === 'held') return send(services, await releaseDue(services.db, outcome.job.site_id));
    if (outcome.job.input_file_id === null) {
      await afterEnd(services, jobId);
      return send(services, told);
    }
    const { db, fileStore, config } = services;
    const files = { db, fileStore, chunkRows: config.chunkRows };
    const planned = await planFileJob(files, outcome.job, dispatch, outcome.definitionsVersion, signal);
    if (planned.isOneChunk) await runInOneHop(services, planned.dispatches, signal);
    else await send(services, planned.dispatches);
    if (planned.ended) await afterEnd(services, jobId);
  },

  failed: (services, payload, error) => stepFailed(services, payload, error),
};

/** Rows that came in the request begin and end in one transaction. */
async function beginAndRun(
  trx: Knex.Transaction,
  jobId: string,
  dispatch: number,
  reader: Config['importReader'],
): Promise<{ readonly begun: BeginOutcome; readonly told: readonly Dispatch[] }> {
  const begun = await beginJob(trx, jobId, dispatch, IMPORT_HOOKS);
  if (begun.kind === 'begun' && begun.job.input_file_id === null) {
    return { begun, told: await runInlineJob(trx, begun.job, begun.definitionsVersion, reader) };
  }
  return { begun, told: [] };
}

/** Of a plan or finish step. */
export async function stepFailed(services: WorkerServices, payload: Payload, error: unknown): Promise<void> {
  services.logger.warn({ err: error, jobId: payload.jobId }, 'a step failed and will be tried again');
  const { dispatches, delayMs, ended } = await recordStepFailure(services.db, payload);
  await send(services, dispatches, delayMs);
  if (ended) {
    services.logger.error({ err: error, jobId: payload.jobId }, 'a job was given up');
    await afterEnd(services, payload.jobId);
  }
}
