/** The endpoints of events: their types, their log, and delivering them again. */
import { z } from 'zod';
import type { DeliveryStatus } from '../../../db/models/delivery.js';
import { runOnce } from '../../domain/access/accept-once.js';
import { newJobId } from '../../domain/jobs/accept-job.js';
import { OpaqueJson } from '../../domain/kernel/opaque-json.js';
import { acceptReplay, countReplay } from '../../domain/replays/accept-replay.js';
import { REPLAYABLE } from '../../domain/replays/replay-job.js';
import { acceptEvents } from '../../domain/webhooks/emit-events.js';
import type { DeliveryLog, EventLog } from '../../domain/webhooks/event-log.js';
import { MAX_DELIVERIES, pageEventLog } from '../../domain/webhooks/event-log.js';
import { knownEvents, SOURCES } from '../../domain/webhooks/event-types.js';
import { replayEvent } from '../../domain/webhooks/redispatch.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { enqueueEntries } from '../../queues/outbox.js';
import type { Route } from '../define-route.js';
import { defineRoute, EXAMPLE_ID } from '../define-route.js';
import { refuseReversedTimes } from '../list-query.js';
import { plainText } from '../plain-text.js';
import { refuseOtherTenant } from '../refuse-other-tenant.js';
import { eventName, eventSource, opaqueJson } from '../webhook-fields.js';

// An event and its deliveries, as clients see them.

/** The names that clients see: a delivery that failed permanently (DEAD) is FAILED. */
const SHOWN_AS = { PENDING: 'PENDING', DELIVERED: 'DELIVERED', DEAD: 'FAILED', CANCELLED: 'CANCELLED' } as const;
type ShownStatus = (typeof SHOWN_AS)[DeliveryStatus];

const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']);

/** The stored status of deliveries. */
function storedStatus(shown: ShownStatus): DeliveryStatus {
  return shown === 'FAILED' ? 'DEAD' : shown;
}

const attempt = z.object({
  statusCode: z.int().nullable().meta({ description: 'null: there was no answer' }),
  triggeredAt: z.iso.datetime(),
  durationMs: z.int(),
  errorMessage: z.string().nullable(),
  response: z.string().nullable().meta({ description: "The beginning of the answer's body" }),
});

const delivery = z.object({
  webhookId: z.string().nullable().meta({ description: 'null: the callback of a job' }),
  callbackUrl: z.string().optional().meta({ description: 'The address of a callback' }),
  status: deliveryStatus,
  responseInfo: z.array(attempt).meta({ description: 'One element for each attempt' }),
});

const eventLogSchema = z
  .object({
    eventRequestId: z.string(),
    tenantId: z.string(),
    channel: z.int().nullable(),
    source: z.string(),
    event: z.string(),
    orderNumber: z.string().nullable(),
    payload: z
      .unknown()
      .meta({ description: 'null with payloadOmitted: the page would be too large; query this event alone' }),
    payloadOmitted: z.literal(true).optional(),
    status: z.enum([...deliveryStatus.options, 'IGNORED']).meta({
      description:
        'The first of PENDING, FAILED and CANCELLED that a delivery has, else DELIVERED; IGNORED: no definition subscribes to it. FAILED with a statusMessage: some deliveries could not be created',
    }),
    statusMessage: z
      .string()
      .optional()
      .meta({ description: 'Why some deliveries were not created. Send the eventRequestId to /retry to create them' }),
    retryCount: z.int().meta({ description: 'The attempts after the first one, of all deliveries together' }),
    firstEventTriggeredAt: z.iso.datetime(),
    lastEventTriggeredAt: z.iso
      .datetime()
      .meta({ description: 'The time of the last attempt, or of the event itself' }),
    logs: z
      .array(delivery)
      .meta({ description: `The deliveries, at most ${MAX_DELIVERIES}; the filter webhookId shows a particular one` }),
  })
  .meta({ id: 'EventLog' });

function presentEventLog(log: EventLog): z.input<typeof eventLogSchema> {
  const attempts = log.logs.flatMap((one) => one.attempts.map(({ triggered_at }) => Date.parse(triggered_at)));
  const last = attempts.reduce((latest, at) => Math.max(latest, at), log.triggered_at.getTime());
  return {
    eventRequestId: log.id,
    tenantId: log.account_id,
    channel: log.channel,
    source: log.source,
    event: log.event,
    orderNumber: log.order_number,
    ...(log.payload === null
      ? { payload: null, payloadOmitted: true as const }
      : { payload: new OpaqueJson(log.payload) }),
    status: statusOf(log),
    ...(log.fan_out_error === null ? {} : { statusMessage: log.fan_out_error }),
    retryCount: log.retries,
    firstEventTriggeredAt: log.triggered_at.toISOString(),
    lastEventTriggeredAt: new Date(last).toISOString(),
    logs: log.logs.map(presentDelivery),
  };
}

function statusOf({ statuses, fanned_out_at, fan_out_error }: EventLog): ShownStatus | 'IGNORED' {
  if (fanned_out_at === null) return 'PENDING';
  if (fan_out_error !== null && statuses?.PENDING === undefined) return 'FAILED';
  const worst = (['PENDING', 'DEAD', 'CANCELLED', 'DELIVERED'] as const).find((status) => statuses?.[status]);
  return worst === undefined ? 'IGNORED' : SHOWN_AS[worst];
}

function presentDelivery({ definition_id, callback_url, status, attempts }: DeliveryLog): z.input<typeof delivery> {
  return {
    webhookId: definition_id,
    ...(callback_url === null ? {} : { callbackUrl: callback_url }),
    status: SHOWN_AS[status],
    responseInfo: attempts.map(({ status_code, triggered_at, duration_ms, error, response }) => ({
      statusCode: status_code,
      triggeredAt: new Date(triggered_at).toISOString(),
      durationMs: duration_ms,
      errorMessage: error,
      response,
    })),
  };
}

const eventType = z
  .object({ source: z.enum(SOURCES), event: z.string(), description: z.string() })
  .meta({ id: 'EventType' });

const listEventTypesRoute = defineRoute({
  family: 'oms',
  tag: 'Webhooks',
  siteContext: true,
  method: 'GET',
  path: '/api/v2/webhook/event-types',
  operationId: 'listEventTypes',
  summary: 'List the known events',
  description:
    'A definition may name other events as well: you choose the names of the events that you send to `POST /api/v2/event`.',
  auth: { scope: 'webhooks:read' },
  responses: { 200: { description: 'The events', schema: z.array(eventType) } },
  handle: () => ({ status: 200, body: knownEvents() }),
});

const MAX_LIMIT = 100;
const MAX_OFFSET = 999_999_999;
/** The fields by which events can be sorted, with their columns. */
const COLUMNS = { firstEventTriggeredAt: 'triggered_at', event: 'event' } as const;

const queryEventsTime = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const filters = z
  .strictObject({
    eventRequestId: z.string().optional(),
    tenantId: z.string().optional(),
    event: eventName.optional(),
    source: eventSource.optional(),
    channel: z.int32().min(0).optional(),
    orderNumber: plainText(255).optional(),
    webhookId: z.string().optional().meta({ description: 'Events with a delivery to this definition' }),
    status: deliveryStatus
      .optional()
      .meta({ description: 'Events with a delivery in this status; FAILED: or with a statusMessage' }),
    since: queryEventsTime.optional(),
    until: queryEventsTime.optional().meta({ description: 'Only events before this instant' }),
  })
  .superRefine(refuseReversedTimes);

const queryEventsBody = z.strictObject({
  filters: filters.prefault({}),
  limit: z.int().min(1).max(MAX_LIMIT).default(10),
  offset: z.int().min(0).max(MAX_OFFSET).default(0),
  sortBy: z.enum(['firstEventTriggeredAt', 'event']).default('firstEventTriggeredAt'),
  sortDirection: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['asc', 'desc']))
    .default('desc')
    // Any case is read; the description shows one, and its default is one of its values.
    .meta({ enum: ['ASC', 'DESC'], default: 'DESC' }),
});

const queryEventsAnswer = z.object({
  count: z.int().meta({ description: 'The number of events on all pages' }),
  limit: z.int(),
  offset: z.int(),
  webhookEventLogs: z.array(eventLogSchema),
});

const queryEventsRoute = defineRoute({
  family: 'oms',
  tag: 'Webhooks',
  siteContext: true,
  method: 'POST',
  path: '/api/v2/webhook/event/query',
  operationId: 'queryEvents',
  summary: 'Query events and their deliveries',
  description:
    'The events of the data set with their deliveries, a page at a time. Filters that are left out let all events pass.',
  auth: { scope: 'webhooks:read' },
  body: {
    schema: queryEventsBody,
    required: false,
    example: { filters: { event: 'ORDER_CREATED', status: 'FAILED' } },
  },
  responses: { 200: { description: 'A page of events', schema: queryEventsAnswer } },
  async handle({ body: given, site }, { db }) {
    const { filters, limit, offset, sortBy, sortDirection } = given ?? queryEventsBody.parse({});
    const { tenantId, status, ...others } = filters;
    refuseOtherTenant(tenantId, site.accountId);
    const filter = { ...others, status: status === undefined ? undefined : storedStatus(status) };
    const order = { column: COLUMNS[sortBy], direction: sortDirection };
    const { rows, count } = await pageEventLog(db, site, filter, order, { offset, limit });
    return { status: 200, body: { count, limit, offset, webhookEventLogs: rows.map(presentEventLog) } };
  },
});

const retryWebhookTime = z.iso.datetime({ offset: true });

const EITHER =
  'send { eventRequestId, webhookId? }, or { since, until?, webhookId, event?, orderNumber?, dryRun? } with status: "FAILED" or outcomes: ["FAILED", …]';

const MAX_ORDER_NUMBER_CHARACTERS = 255;
const FAILED_OR_CANCELLED = ['FAILED', 'CANCELLED'] as const;

const retryWebhookBody = z
  .strictObject({
    eventRequestId: z.string().optional().meta({ description: 'The event to deliver again' }),
    webhookId: z.string().optional(),
    since: retryWebhookTime
      .optional()
      .meta({ description: 'Deliveries to webhookId that were created at this time or later' }),
    until: retryWebhookTime.optional().meta({ description: 'Only deliveries that were created before this time' }),
    status: z.literal('FAILED').optional().meta({ description: 'The same as the outcomes FAILED and CANCELLED' }),
    outcomes: z.array(z.enum(REPLAYABLE)).min(1).optional().meta({
      description:
        'What became of the events: FAILED permanently; CANCELLED, because the definition was disabled; DELIVERED; IGNORED: not sent to the definition, because it did not exist when they were emitted, or was disabled and did not collect them',
    }),
    event: eventName.optional().meta({ description: 'Only events with this name' }),
    orderNumber: plainText(MAX_ORDER_NUMBER_CHARACTERS).optional().meta({ description: 'Only events of this order' }),
    dryRun: z
      .boolean()
      .optional()
      .meta({ description: 'true: answers the number of deliveries, and delivers nothing' }),
  })
  .superRefine(refuseReversedTimes)
  .transform(({ eventRequestId, webhookId, since, until, status, outcomes, event, orderNumber, dryRun }, context) => {
    const isRange = [since, until, outcomes, event, orderNumber, dryRun].some((one) => one !== undefined);
    if (eventRequestId !== undefined && !isRange) {
      return { kind: 'event' as const, eventRequestId, webhookId };
    }
    const chosen = outcomes ?? (status === undefined ? undefined : FAILED_OR_CANCELLED);
    if (eventRequestId === undefined && since !== undefined && webhookId !== undefined && chosen !== undefined) {
      const range = { webhookId, since, until: until ?? null, outcomes: [...new Set(chosen)], event, orderNumber };
      return { kind: 'range' as const, range, dryRun: dryRun ?? false };
    }
    context.addIssue({ code: 'custom', message: EITHER });
    return z.NEVER;
  });

const ofEvent = z.object({
  eventRequestId: z.string(),
  deliveries: z
    .int()
    .meta({ description: 'How many deliveries were started again; deliveries that are to be created count as one' }),
});
const dryCount = z.object({ deliveries: z.int().meta({ description: 'How many deliveries a replay would make' }) });
const ofRange = z.object({ jobId: z.string(), status: z.literal('SCHEDULED') });

const retryWebhookRoute = defineRoute({
  family: 'oms',
  tag: 'Webhooks',
  siteContext: true,
  method: 'POST',
  path: '/api/v2/webhook/retry',
  operationId: 'retryEvents',
  summary: 'Deliver events again',
  description:
    'With eventRequestId: the deliveries of one event that failed permanently or were cancelled; with webhookId too, the event to that definition in any case. With a range of time: the events of one definition by what became of them, as a job; with dryRun they are only counted.',
  auth: { scope: 'webhooks:write' },
  body: { schema: retryWebhookBody, example: { eventRequestId: EXAMPLE_ID } },
  refusals: { 409: 'The definition is disabled' },
  responses: {
    200: { description: 'The number of deliveries (dryRun)', schema: dryCount },
    202: { description: 'Accepted', schema: z.union([ofEvent, ofRange]) },
  },
  audit: 'EVENTS_REPLAYED',
  async handle({ body: asked, site, requestId, audit }, { db, producer, logger }) {
    if (asked.kind === 'event') {
      const outboxEntries = await audit.change(
        db,
        (trx) => replayEvent(trx, site.siteId, asked),
        () => `event/${asked.eventRequestId}`,
      );
      await enqueueEntries(producer, outboxEntries, logger);
      return { status: 202, body: { eventRequestId: asked.eventRequestId, deliveries: outboxEntries.length } };
    }
    if (asked.dryRun) return { status: 200, body: { deliveries: await countReplay(db, site, asked.range) } };
    const id = newJobId();
    const outboxEntries = await audit.change(
      db,
      (trx) => acceptReplay(trx, { id, site, requestId, range: asked.range }),
      () => `job/${id}`,
    );
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, headers: { Location: `/jobs/${id}` } };
  },
});

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

const emitEventRoute = defineRoute({
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

const emitEventsRoute = defineRoute({
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

export const eventRoutes: readonly Route[] = [
  listEventTypesRoute,
  queryEventsRoute,
  retryWebhookRoute,
  emitEventRoute,
  emitEventsRoute,
];
