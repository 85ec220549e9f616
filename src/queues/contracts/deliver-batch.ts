/** Makes the first attempts of an event's deliveries, many in one job: new deliveries do not wait behind retries. */
import { z } from 'zod';
import { defineQueue } from '../define-queue.js';

export const deliverBatch = defineQueue({
  name: 'deliver-batch',
  group: 'webhook',
  payload: z.object({ batch: z.string() }),
  jobId: ({ batch }) => `batch_${batch}`,
});
