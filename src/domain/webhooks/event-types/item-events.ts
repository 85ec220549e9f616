/** Events of items that a job wrote. Each applied row is in one of them. */
import { z } from 'zod';
import { defineEventType } from './event-type.js';

/** The maximum number of SKUs in one event. A large job emits several events. */
const MAX_SKUS = 500;

const payload = z.strictObject({
  jobId: z.string(),
  type: z.string().meta({ description: 'The type of the job' }),
  skus: z.array(z.string()).min(1).max(MAX_SKUS),
});

const changedPayload = payload.extend({
  changed: z.array(z.string()).meta({
    description:
      'The names of the attributes and fields that changed of one of these items, sorted; at most 20,000 characters',
  }),
  changedTruncated: z.literal(true).optional().meta({
    description:
      'Only if there are more names than `changed` has: read `changesUrl`. Filters that ask whether `changed` contains a name pass such an event',
  }),
  changesUrl: z.string().meta({ description: 'The path of GET /jobs/{id}/changes' }),
});

const example = { jobId: '6920e1f0a1b2c3d4e5f60718', type: 'ITEM_IMPORT', skus: ['TEE-S', 'TEE-M'] };

export const itemCreated = defineEventType({
  name: 'ITEM_CREATED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: `items were created; up to ${MAX_SKUS} SKUs per event`,
  payload,
  example,
});

export const itemUpdated = defineEventType({
  name: 'ITEM_UPDATED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: `items were changed; up to ${MAX_SKUS} SKUs per event`,
  payload: changedPayload,
  example: { ...example, changed: ['Price', 'channels'], changesUrl: '/jobs/6920e1f0a1b2c3d4e5f60718/changes' },
});

export const itemDeleted = defineEventType({
  name: 'ITEM_DELETED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: `items were deleted; up to ${MAX_SKUS} SKUs per event`,
  payload: changedPayload,
  example: { ...example, changed: ['Price', 'Title'], changesUrl: '/jobs/6920e1f0a1b2c3d4e5f60718/changes' },
});
