/** Writes the file of one export, from beginning to end. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const exportJob = defineQueue({
  name: 'export-job',
  group: 'export',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `export_${jobId}_${dispatch}`,
});
