/** Replays the deliveries of a definition that failed permanently or were cancelled in a range of time. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const replayDeliveries = defineQueue({
  name: 'replay-deliveries',
  group: 'webhook',
  payload: z.object({ jobId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ jobId, dispatch }) => `replay_${jobId}_${dispatch}`,
});
