/** The endpoint that says which stored events a filter lets pass. */
import { z } from 'zod';
import { tryFilter } from '../../../domain/webhooks/try-filter.js';
import { defineRoute, EXAMPLE_ID } from '../../define-route.js';
import { webhookFields } from '../../webhook-fields.js';
import { ofWebhooks } from './common.js';

/** Payloads have up to 256 kB, and all of them are parsed. */
const MOST_EVENTS = 20;

const tryFilterBody = z.strictObject({
  filter: webhookFields.filter,
  eventRequestIds: z
    .array(z.string().max(64))
    .min(1)
    .max(MOST_EVENTS)
    .meta({ description: `The events to try it on, at most ${MOST_EVENTS}: see POST /api/v2/webhook/event/query` }),
});

export const tryFilterRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/actions/try-filter',
  operationId: 'tryWebhookFilter',
  summary: 'Try a filter on stored events',
  description:
    'Says of each event whether a definition with this filter would get it. It is decided as for an event that is emitted; nothing is stored or delivered.',
  auth: { scope: 'webhooks:read' },
  body: {
    schema: tryFilterBody,
    opaque: 'filter',
    example: { filter: { path: '/status', in: ['PAID', 'SHIPPED'] }, eventRequestIds: [EXAMPLE_ID] },
  },
  responses: {
    200: {
      description: 'The outcome for each event that the stage has, in the order of the request',
      schema: z.object({ events: z.array(z.object({ eventRequestId: z.string(), passes: z.boolean() })) }),
    },
  },
  async handle({ body: { filter, eventRequestIds }, site }, { db }) {
    return { status: 200, body: { events: await tryFilter(db, site.siteId, filter, eventRequestIds) } };
  },
});
