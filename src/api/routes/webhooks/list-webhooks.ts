/** GET /api/v2/webhook */
import { z } from 'zod';
import { listDefinitions } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters, searchText } from '../../list-query.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks } from './webhook-route.js';

const DEFAULT_LIMIT = 100;

const query = z.object({
  eventType: searchText.optional().meta({ description: 'Only definitions that receive this event' }),
  apiVersion: z.string().max(100).optional(),
  offset: pageParameters.offset,
  limit: pageParameters.limit
    .default(DEFAULT_LIMIT)
    .meta({ description: `How many elements to return (default ${DEFAULT_LIMIT})` }),
});

export const listWebhooksRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook',
  summary: 'List webhook definitions',
  description:
    'Answers a bare array, oldest first. With a channel, it contains the definitions that receive events of that channel.',
  auth: { scope: 'webhooks:read' },
  query,
  responses: { 200: { description: 'The definitions', schema: z.array(webhookSchema) } },
  async handle({ query: { eventType, apiVersion, ...page }, site }, { db }) {
    const definitions = await listDefinitions(db, site, { eventType, apiVersion }, page);
    return { status: 200, body: definitions.map(presentWebhook) };
  },
});
