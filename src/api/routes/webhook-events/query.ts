/** The endpoint that searches the log of events. */
import { z } from 'zod';
import { eventName } from '../../../domain/webhooks/definition-fields.js';
import { pageEventLog } from '../../../domain/webhooks/event-log.js';
import { defineRoute } from '../../define-route.js';
import { refuseReversedTimes } from '../../list-query.js';
import { plainText } from '../../plain-text.js';
import { deliveryStatus, eventLogSchema, presentEventLog, storedStatus } from '../../presenters/present-event-log.js';
import { refuseOtherTenant } from '../../refuse-other-tenant.js';
import { eventSource } from '../../webhook-fields.js';

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

export const queryEventsRoute = defineRoute({
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
