/** Last step of a job: adds up the counts, writes the error file, ends the job, and releases the next jobs. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const finishJob = defineQueue({
  name: 'finish-job',
  group: 'bulk',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `finish_${jobId}_${dispatch}`,
});
