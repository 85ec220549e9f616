/** Applies all chunks of an atomic job. */
import { applyAtomicJob as applyRows } from '../../domain/imports/apply-atomic-job.js';
import type { applyAtomicJob } from '../../queues/contracts/apply-atomic-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function applyAtomicJobHandler({
  send,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof applyAtomicJob>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      await send(services, await applyRows(services, payload, signal));
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'apply-all', payload }),
    failed: stepFailed,
  };
}
