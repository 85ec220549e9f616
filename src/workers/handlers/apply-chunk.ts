/** Applies one chunk of a job. */
import { applyJobChunk } from '../../domain/imports/apply-job-chunk.js';
import type { applyChunk } from '../../queues/contracts/apply-chunk.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function applyChunkHandler({
  send,
  chunkFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof applyChunk>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload) {
      await send(services, await applyJobChunk(services, payload));
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'apply', payload }),
    failed: chunkFailed,
  };
}
