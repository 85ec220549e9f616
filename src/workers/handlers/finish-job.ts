/** Ends a job whose chunks are done. */
import { finishFileJob } from '../../domain/imports/finish-file-job.js';
import type { finishJob } from '../../queues/contracts/finish-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function finishJobHandler({
  afterEnd,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof finishJob>> {
  return {
    async run(services, payload) {
      if (await finishFileJob(services, payload)) await afterEnd(services, payload.jobId);
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'finish', payload }),
    failed: stepFailed,
  };
}
