/** First step of a job: finds its chunks. A job of a single chunk is planned, applied and finished in this one step. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const planJob = defineQueue({
  name: 'plan-job',
  group: 'bulk',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `plan_${jobId}_${dispatch}`,
});
