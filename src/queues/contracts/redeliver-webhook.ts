/** Makes every later attempt of a delivery: retries and replays. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const redeliverWebhook = defineQueue({
  name: 'redeliver-webhook',
  group: 'webhook',
  payload: z.object({ deliveryId: z.string(), dispatch: z.int() }),
  jobId: ({ deliveryId, dispatch }) => `redeliver_${deliveryId}_${dispatch}`,
});
