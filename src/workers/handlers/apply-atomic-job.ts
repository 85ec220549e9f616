/** Applies all chunks of an atomic job, or what follows the last chunk of a job; then the job ends without another turn. */
import { applyAtomicJob as applyRows } from '../../domain/imports/apply-atomic-job.js';
import type { applyAtomicJob } from '../../queues/contracts/apply-atomic-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler, RowsOfJobs, RunInline } from '../handler.js';

export function applyAtomicJobHandler(
  after: AfterStep,
  runInline: RunInline,
  rowsOfJobs: RowsOfJobs,
): Handler<PayloadOf<typeof applyAtomicJob>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      await runInline(services, await applyRows({ ...services, rowsOfJobs }, payload, signal), signal);
    },

    suspected: (services, payload) => after.stepSuspected(services, { queue: 'apply-all', payload }),
    failed: after.stepFailed,
  };
}
