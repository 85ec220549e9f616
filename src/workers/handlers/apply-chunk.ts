/** Applies one chunk of a job. */
import { applyJobChunk } from '../../domain/imports/apply-job-chunk.js';
import { OWN_FAULT, recordChunkFailure } from '../../domain/jobs/end-job.js';
import { suspectStep } from '../../domain/jobs/job-steps.js';
import type { applyChunk } from '../../queues/contracts/apply-chunk.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { send } from '../after-step.js';
import type { Handler } from '../handler.js';

export const applyChunkHandler: Handler<PayloadOf<typeof applyChunk>> = {
  jobOf: ({ jobId }) => jobId,

  async run(services, payload) {
    await send(services, await applyJobChunk(services, payload));
  },

  suspected: ({ db }, payload) => suspectStep(db, { queue: 'apply', payload }),

  async failed(services, payload, error, failure = OWN_FAULT) {
    services.logger.warn({ err: error, ...payload, failure }, 'a chunk failed');
    const { outboxEntries, delayMs } = await recordChunkFailure(services.db, payload, failure);
    await send(services, outboxEntries, delayMs);
  },
};
