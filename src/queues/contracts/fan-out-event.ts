/** Creates the deliveries of an event with more subscribers than its own transaction creates deliveries for. */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const fanOutEvent = defineQueue({
  name: 'fan-out-event',
  group: 'webhook',
  payload: z.object({ eventId: z.string(), dispatch: z.int(), ...SUSPICION }),
  jobId: ({ eventId, dispatch }) => `fanout_${eventId}_${dispatch}`,
});
