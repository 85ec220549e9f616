/** Last step: counters, the error file, the end of the job, and the site's next in line. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const finishJob = defineQueue({
  name: 'finish-job',
  group: 'bulk',
  payload: z.object({ jobId: z.string(), dispatch: z.int() }),
  jobId: ({ jobId, dispatch }) => `finish_${jobId}_${dispatch}`,
});
