/** POST /api/v2/event */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { acceptEvent } from '../../../domain/webhooks/emit-events.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { plainText } from '../../plain-text.js';
import { eventName, eventSource } from '../../webhook-fields.js';

const MAX_ORDER_NUMBER_CHARACTERS = 255;

const body = z.object({
  source: eventSource,
  event: eventName,
  payload: z
    .unknown()
    .refine((payload) => payload !== undefined, 'is required: any JSON value')
    .meta({
      description: 'Any JSON value of at most 256 kB',
    }),
  channel: z.int32().min(0).nullish().meta({ description: 'Default: the channel of x-site-context, if there is one' }),
  orderNumber: plainText(MAX_ORDER_NUMBER_CHARACTERS).nullish(),
});

const answer = z.object({
  eventRequestId: z.string(),
  deliveries: z.int().meta({ description: 'How many webhook definitions receive the event' }),
});

export const emitEventRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/event',
  family: 'oms',
  tag: 'Events',
  summary: 'Emit an event',
  description:
    'The event is delivered to every active webhook definition that subscribes to it. If the payload is larger than 256 kB, the answer is 413.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: { schema: body },
  responses: { 202: { description: 'The event is accepted', schema: answer } },
  async handle({ body: { channel, ...event }, site, idempotency }, { db, producer, logger }) {
    let outboxEntries: OutboxEntry[] = [];
    const { answer } = await runOnce(db, idempotency, async (trx) => {
      const accepted = await acceptEvent(trx, site, { ...event, channel: channel ?? site.channel });
      outboxEntries = accepted.outboxEntries;
      const { eventRequestId, deliveries } = accepted;
      return { status: 202, body: { eventRequestId, deliveries }, jobId: null };
    });
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: answer.status, body: answer.body };
  },
});
