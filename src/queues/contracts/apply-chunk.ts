/** Second step of a job: applies one chunk in one transaction. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const applyChunk = defineQueue({
  name: 'apply-chunk',
  group: 'bulk',
  payload: z.object({ jobId: z.string(), chunk: z.int(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, chunk, dispatch }) => `chunk_${jobId}_${chunk}_${dispatch}`,
});
