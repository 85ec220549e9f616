/** Events about a webhook definition. */
import { z } from 'zod';
import { defineEventType } from './event-type.js';

const webhookId = z.string();
const target = z.string().meta({ description: 'The URL that fails' });
const EXAMPLE_ID = '6920e1f0a1b2c3d4e5f60718';
const EXAMPLE_TARGET = 'https://shop.example/hooks/orders';

export const webhookDisabled = defineEventType({
  name: 'WEBHOOK_DISABLED',
  source: 'OF_DEFINITION',
  audience: 'subscribers',
  description: 'a webhook definition of this source was disabled because its target fails',
  payload: z.strictObject({ webhookId, target, reason: z.string() }),
  example: { webhookId: EXAMPLE_ID, target: EXAMPLE_TARGET, reason: 'the target answered 410 Gone' },
});

export const webhookFailing = defineEventType({
  name: 'WEBHOOK_FAILING',
  source: 'OF_DEFINITION',
  audience: 'subscribers',
  description:
    'every delivery to a webhook definition of this source has failed for 1, 3 or 4 days; after 5 days it is disabled',
  payload: z.strictObject({
    webhookId,
    target,
    failingSince: z.iso.datetime(),
    failedDeliveries: z.int(),
    disableAt: z.iso
      .datetime()
      .meta({ description: 'The first failure after this time disables the definition, if 20 deliveries have failed' }),
    error: z.string().nullable().meta({ description: 'The last failure' }),
  }),
  example: {
    webhookId: EXAMPLE_ID,
    target: EXAMPLE_TARGET,
    failingSince: '2026-11-21T09:00:00.000Z',
    failedDeliveries: 12,
    disableAt: '2026-11-26T09:00:00.000Z',
    error: 'the target refused the connection',
  },
});

export const webhookDeliveryFailed = defineEventType({
  name: 'WEBHOOK_DELIVERY_FAILED',
  source: 'OF_DEFINITION',
  audience: 'owner',
  description: 'a delivery failed permanently; sent to the callbackUrl of its definition',
  payload: z.strictObject({
    webhookId,
    target,
    eventRequestId: z.string(),
    deliveryId: z.string(),
    event: z.string(),
    attempts: z.int(),
    statusCode: z.int().nullable(),
    error: z.string().nullable(),
  }),
  example: {
    webhookId: EXAMPLE_ID,
    target: EXAMPLE_TARGET,
    eventRequestId: '6920e1f0a1b2c3d4e5f60719',
    deliveryId: '6920e1f0a1b2c3d4e5f6071a',
    event: 'ORDER_CREATED',
    attempts: 10,
    statusCode: 500,
    error: 'the target answered 500',
  },
});

export const ping = defineEventType({
  name: 'PING',
  source: 'OF_DEFINITION',
  audience: 'owner',
  description: 'the owner of a definition asked for a test; sent to its target',
  payload: z.strictObject({ webhookId }),
  example: { webhookId: EXAMPLE_ID },
});
