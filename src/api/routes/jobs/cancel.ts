/** The endpoint that cancels a job. */
import type { Db } from '../../../../db/connection.js';
import { finishFileJob } from '../../../domain/imports/finish-file-job.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { cancelJob } from '../../../domain/jobs/cancel-job.js';
import { followEnd } from '../../../domain/jobs/follow-end.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { within } from '../../../platform/concurrency/within.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema, presentJob } from '../../presenters/present-job.js';
import type { ApiServices } from '../../services.js';
import { jobParams } from './params.js';

export const cancelJobRoute = defineRoute({
  method: 'POST',
  path: '/jobs/:id/actions/cancel',
  operationId: 'cancelJob',
  family: 'files',
  tag: 'Jobs',
  summary: 'Cancel a job',
  description:
    'The job stops within a second or two, whatever it is doing. Chunks that are nearly done are completed; what was applied stays and is counted. If the job has ended, the answer is 409, but for a job that was cancelled before.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: jobParams,
  refusals: { 409: 'The job has ended' },
  responses: { 200: { description: 'The job as it is now', schema: jobSchema } },
  audit: 'JOB_CANCELLED',
  async handle({ params, site, audit }, services) {
    const { db, producer, logger } = services;
    const job = await findJob(db, site.siteId, params.id);
    const record = (trx: Db) => audit.record(trx, `job/${job.id}`);
    const { outboxEntries, ended } = await cancelJob(db, JOB_TYPES, site.siteId, job.id, record);
    if (ended) await follow(services, job.id);
    else if (!(await finishHere(services, outboxEntries))) await enqueueEntries(producer, outboxEntries, logger);
    return { status: 200, body: presentJob(await findJob(db, site.siteId, job.id)) };
  },
});

async function follow({ db, producer, logger, metrics }: ApiServices, jobId: string): Promise<void> {
  const entries = await followEnd(db, JOB_TYPES, jobId, ({ kind, outcome, seconds }) =>
    metrics.jobEnded(kind, outcome, seconds),
  );
  await enqueueEntries(producer, entries, logger);
}

/** How long the answer waits for the end of the job. */
const FINISH_MS = 1_300;
/** The error file of a job with more failed rows is written by a worker. */
const MOST_FAILED = 1_000;

/**
 * Executes the finish step of a cancelled job, if there is one among the entries: the workers may all be computing.
 * @returns whether it is done; if not, a worker has to execute it
 */
async function finishHere(services: ApiServices, outboxEntries: readonly OutboxEntry[]): Promise<boolean> {
  const [entry] = outboxEntries;
  if (entry?.queue !== 'finish') return false;
  const { payload } = entry;
  const finish = async () => {
    try {
      const ended = await finishFileJob(services, payload, MOST_FAILED);
      if (ended) await follow(services, payload.jobId);
      return ended;
    } catch (error) {
      services.logger.warn({ err: error, ...payload }, 'a cancelled job could not be finished here; a worker does it');
      return false;
    }
  };
  const finishing = finish();
  return (await within(finishing, FINISH_MS)) && finishing;
}
