/** Applies one chunk of a job. */
import { applyJobChunk } from '../../domain/imports/apply-job-chunk.js';
import type { applyChunk } from '../../queues/contracts/apply-chunk.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler, RowsOfJobs } from '../handler.js';

export function applyChunkHandler(after: AfterStep, rowsOfJobs: RowsOfJobs): Handler<PayloadOf<typeof applyChunk>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload) {
      await after.send(services, await applyJobChunk({ ...services, rowsOfJobs }, payload));
    },

    suspected: (services, payload) => after.stepSuspected(services, { queue: 'apply', payload }),
    failed: after.stepFailed,
  };
}
