/** Makes a first attempt that its batch had to snooze: it does not wait behind retries. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const deliverWebhook = defineQueue({
  name: 'deliver-webhook',
  group: 'webhook',
  payload: z.object({ deliveryId: z.string(), dispatch: z.int() }),
  jobId: ({ deliveryId, dispatch }) => `deliver_${deliveryId}_${dispatch}`,
});
