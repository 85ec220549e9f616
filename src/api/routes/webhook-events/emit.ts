/** The endpoints that emit events of other systems, one or many at a time. */
import { z } from 'zod';
import { runOnce } from '../../../domain/access/accept-once.js';
import { acceptEvents } from '../../../domain/webhooks/client-events.js';
import { eventName } from '../../../domain/webhooks/definition-fields.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { plainText } from '../../plain-text.js';
import { eventSource, opaqueJson } from '../../webhook-fields.js';

export const MAX_ORDER_NUMBER_CHARACTERS = 255;

const emitEventBody = z.strictObject({
  source: eventSource,
  event: eventName,
  payload: opaqueJson.meta({
    description: 'Any JSON value of at most 256 kB, white space included; it is kept and delivered byte for byte',
  }),
  channel: z.int32().min(0).optional().meta({ description: 'Default: the channel of x-site-context, if there is one' }),
  orderNumber: plainText(MAX_ORDER_NUMBER_CHARACTERS).optional(),
});

const EXAMPLE_EVENT = {
  source: 'OMS',
  event: 'ORDER_CREATED',
  payload: { id: 'ORDER-1001', status: 'PAID' },
  orderNumber: 'ORDER-1001',
};

const emitEventAnswer = z.object({
  eventRequestId: z.string(),
  deliveries: z.int().meta({ description: 'How many webhook definitions receive the event' }),
});

export const emitEventRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/event',
  operationId: 'emitEvent',
  family: 'oms',
  tag: 'Events',
  summary: 'Emit an event',
  description:
    'The event is delivered to every active webhook definition that subscribes to it. If the payload is larger than 256 kB, the answer is 413.',
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: { schema: emitEventBody, opaque: 'payload', example: EXAMPLE_EVENT },
  responses: { 202: { description: 'The event is accepted', schema: emitEventAnswer } },
  async handle({ body: { channel, ...event }, site, idempotency }, { db, producer, logger }) {
    let outboxEntries: OutboxEntry[] = [];
    const { answer } = await runOnce(db, idempotency, async (trx) => {
      const accepted = await acceptEvents(trx, site, [{ ...event, channel: channel ?? site.channel }]);
      outboxEntries = accepted.outboxEntries;
      const { eventIds, deliveries } = accepted;
      return { status: 202, body: { eventRequestId: eventIds[0] ?? '', deliveries }, jobId: null };
    });
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: answer.status, body: answer.body };
  },
});

const MAX_BATCH_EVENTS = 100;
const MAX_BATCH_BYTES = 4_194_304;

const emitEventsAnswer = z.object({
  eventRequestIds: z.array(z.string()).meta({ description: 'The ids of the events, in the order of the request' }),
  deliveries: z.int().meta({ description: 'How many deliveries the events have together' }),
});

export const emitEventsRoute = defineRoute({
  method: 'POST',
  path: '/api/v2/event/batch',
  operationId: 'emitEvents',
  family: 'oms',
  tag: 'Events',
  summary: 'Emit several events',
  description: `Either all events are emitted, or none. At most ${MAX_BATCH_EVENTS} events and ${MAX_BATCH_BYTES / 1_048_576} MiB.`,
  auth: { scope: 'events:write' },
  siteContext: 'tenant-key',
  idempotent: true,
  body: {
    schema: z.array(emitEventBody).min(1).max(MAX_BATCH_EVENTS),
    maxBytes: MAX_BATCH_BYTES,
    opaque: 'payload',
    example: [EXAMPLE_EVENT],
  },
  responses: { 202: { description: 'The events are accepted', schema: emitEventsAnswer } },
  async handle({ body, site, idempotency }, { db, producer, logger }) {
    const events = body.map(({ channel, ...event }) => ({ ...event, channel: channel ?? site.channel }));
    let outboxEntries: OutboxEntry[] = [];
    const { answer } = await runOnce(db, idempotency, async (trx) => {
      const accepted = await acceptEvents(trx, site, events);
      outboxEntries = accepted.outboxEntries;
      const { eventIds, deliveries } = accepted;
      return { status: 202, body: { eventRequestIds: eventIds, deliveries }, jobId: null };
    });
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: answer.status, body: answer.body };
  },
});
