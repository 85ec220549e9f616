/** First step of small jobs that are due at the same time, of any sites: they are executed in one transaction. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineQueue, SUSPICION } from '../define-queue.js';

/** How many jobs one queue job names at most. */
const MAX_STEPS = 64;

const steps = z
  .array(z.object({ jobId: z.string(), dispatch: z.int() }))
  .min(1)
  .max(MAX_STEPS);

export const planBatch = defineQueue({
  name: 'plan-batch',
  group: 'bulk',
  payload: z.object({ steps, ...SUSPICION }),
  jobId: (payload) => `planbatch_${createHash('sha1').update(JSON.stringify(payload)).digest('hex')}`,
  merge: (payloads) => {
    const all = payloads.flatMap((payload) => payload.steps);
    return Array.from({ length: Math.ceil(all.length / MAX_STEPS) }, (_, nth) => ({
      steps: all.slice(nth * MAX_STEPS, (nth + 1) * MAX_STEPS),
    }));
  },
});
