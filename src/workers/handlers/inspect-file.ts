/** Inspects a file. */
import type { endJob } from '../../domain/jobs/end-job.js';
import { releaseOneStep } from '../../domain/jobs/single-step.js';
import { INSPECTION_JOB } from '../../domain/proposals/model/inspection-job.js';
import { runInspection } from '../../domain/proposals/run-inspection.js';
import type { inspectFile } from '../../queues/contracts/inspect-file.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

/** @param end that of the job core */
export function inspectFileHandler(
  { send, afterEnd, stepFailed, stepSuspected }: AfterStep,
  end: typeof endJob,
): Handler<PayloadOf<typeof inspectFile>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      const outcome = await runInspection({ ...services, endJob: end }, payload, signal);
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
