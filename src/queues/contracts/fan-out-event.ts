/**
 * Creates the deliveries of an event with more subscribers than its own transaction creates deliveries for. Accounts take
 * turns, so the payload says whose it is, unless an earlier release enqueued it.
 */
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

export const fanOutEvent = defineQueue({
  name: 'fan-out-event',
  group: 'webhook',
  payload: z.object({ eventId: z.string(), dispatch: z.int(), account: z.string().optional(), ...SUSPICION }),
  jobId: ({ eventId, dispatch }) => `fanout_${eventId}_${dispatch}`,
});
