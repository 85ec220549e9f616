/** The endpoint that lists the types of events. */
import { z } from 'zod';
import { knownEvents, SOURCES } from '../../../domain/webhooks/model/known-events.js';
import { defineRoute } from '../../define-route.js';

const eventType = z
  .object({ source: z.enum(SOURCES), event: z.string(), description: z.string() })
  .meta({ id: 'EventType' });

export const listEventTypesRoute = defineRoute({
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
