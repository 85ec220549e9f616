/** Makes the deliveries of an event that more definitions hear than its own transaction makes them for. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const fanOutEvent = defineQueue({
  name: 'fan-out-event',
  group: 'webhook',
  payload: z.object({ eventId: z.string(), dispatch: z.int() }),
  jobId: ({ eventId, dispatch }) => `fanout_${eventId}_${dispatch}`,
});
