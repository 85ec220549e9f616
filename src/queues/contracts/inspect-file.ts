/** Inspects one uploaded file. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const inspectFile = defineQueue({
  name: 'inspect-file',
  group: 'export',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `inspect_${jobId}_${dispatch}`,
});
