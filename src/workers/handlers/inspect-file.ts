/** Inspects a file. */
import { releaseOneStep } from '../../domain/jobs/single-step.js';
import { INSPECTION_JOB } from '../../domain/proposals/model/inspection-job.js';
import { runInspection } from '../../domain/proposals/run-inspection.js';
import type { inspectFile } from '../../queues/contracts/inspect-file.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function inspectFileHandler({
  send,
  afterEnd,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof inspectFile>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      const outcome = await runInspection(services, payload, signal);
      if (outcome.kind === 'ended') await afterEnd(services, payload.jobId);
      // One that ended after this one counted those that run did not see that this one is held.
      if (outcome.kind === 'held') {
        await send(services, await releaseOneStep(services.db, INSPECTION_JOB, outcome.siteId));
      }
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'inspect', payload }),
    failed: stepFailed,
  };
}
