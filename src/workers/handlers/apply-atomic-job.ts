/** Applies all chunks of an atomic job. */
import { applyAtomicJob as applyRows } from '../../domain/imports/apply-atomic-job.js';
import { suspectStep } from '../../domain/jobs/job-steps.js';
import type { applyAtomicJob } from '../../queues/contracts/apply-atomic-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { send } from '../after-step.js';
import type { Handler } from '../handler.js';
import { stepFailed } from '../step-failed.js';

export const applyAtomicJobHandler: Handler<PayloadOf<typeof applyAtomicJob>> = {
  jobOf: ({ jobId }) => jobId,

  async run(services, payload, signal) {
    await send(services, await applyRows(services, payload, signal));
  },

  suspected: ({ db }, payload) => suspectStep(db, { queue: 'apply-all', payload }),
  failed: stepFailed,
};
