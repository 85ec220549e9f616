/** Ends a job whose chunks are done. */
import { finishFileJob } from '../../domain/imports/finish-file-job.js';
import { suspectStep } from '../../domain/jobs/job-steps.js';
import type { finishJob } from '../../queues/contracts/finish-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { afterEnd } from '../after-step.js';
import type { Handler } from '../handler.js';
import { stepFailed } from '../step-failed.js';

export const finishJobHandler: Handler<PayloadOf<typeof finishJob>> = {
  async run(services, payload) {
    if (await finishFileJob(services, payload)) await afterEnd(services, payload.jobId);
  },

  suspected: ({ db }, payload) => suspectStep(db, { queue: 'finish', payload }),
  failed: stepFailed,
};
