/** GET /api/v2/webhook/event-types */
import { z } from 'zod';
import { knownEvents, SOURCES } from '../../../domain/webhooks/event-types.js';
import { defineRoute } from '../../define-route.js';
import { ofWebhooks } from './webhook-route.js';

const eventType = z.object({ source: z.enum(SOURCES), event: z.string(), description: z.string() });

export const listEventTypesRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook/event-types',
  summary: 'List the events that are known',
  description: 'A definition may name others: what `POST /api/v2/event` is sent is yours to name.',
  auth: { scope: 'webhooks:read' },
  responses: { 200: { description: 'The events', schema: z.array(eventType) } },
  handle: () => ({ status: 200, body: knownEvents() }),
});
