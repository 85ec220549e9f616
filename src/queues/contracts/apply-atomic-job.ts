/** Second step of an atomic job: applies all its chunks in one transaction. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const applyAtomicJob = defineQueue({
  name: 'apply-whole-job',
  group: 'bulk',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `whole_${jobId}_${dispatch}`,
});
