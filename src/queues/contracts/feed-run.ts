/** Brings the files of one feed. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const feedRun = defineQueue({
  name: 'feed-run',
  group: 'export',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `feed_${jobId}_${dispatch}`,
});
