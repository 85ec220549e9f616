/**
 * Makes the first attempts of an event's deliveries, many in one job: new deliveries do not wait behind retries. Accounts
 * take turns, so the payload says whose it is, unless an earlier release enqueued it.
 */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const deliverBatch = defineQueue({
  name: 'deliver-batch',
  group: 'webhook',
  payload: z.object({ batch: z.string(), account: z.string().optional() }),
  jobId: ({ batch }) => `batch_${batch}`,
});
