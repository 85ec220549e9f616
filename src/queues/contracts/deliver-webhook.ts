/** A first attempt whose turn had not come with its batch: it does not stand behind those that are tried again. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const deliverWebhook = defineQueue({
  name: 'deliver-webhook',
  group: 'webhook',
  payload: z.object({ deliveryId: z.string(), dispatch: z.int() }),
  jobId: ({ deliveryId, dispatch }) => `deliver_${deliveryId}_${dispatch}`,
});
