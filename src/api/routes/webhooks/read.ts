/** The endpoints that read webhook definitions, with the health of their endpoints. */
import { z } from 'zod';
import { findDefinition, listDefinitions } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters, searchText } from '../../list-query.js';
import { presentWithHealth, webhookWithHealthSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './common.js';

const DEFAULT_LIMIT = 100;

const query = z.strictObject({
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
  operationId: 'listWebhooks',
  summary: 'List webhook definitions',
  description:
    'Answers a bare array, oldest first. With a channel, it contains the definitions that receive events of that channel.',
  auth: { scope: 'webhooks:read' },
  query,
  responses: { 200: { description: 'The definitions', schema: z.array(webhookWithHealthSchema) } },
  async handle({ query: { eventType, apiVersion, ...page }, site }, { db }) {
    const definitions = await listDefinitions(db, site, { eventType, apiVersion }, page);
    return { status: 200, body: await presentWithHealth(db, definitions) };
  },
});

export const readWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook/:webhookId',
  operationId: 'getWebhook',
  summary: 'Read a webhook definition, and how its endpoint is doing',
  description:
    'The definition without its secrets: the API key and the headers are masked, and the signing secret is not shown.',
  auth: { scope: 'webhooks:read' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookWithHealthSchema } },
  async handle({ params, site }, { db }) {
    const definition = await findDefinition(db, site.siteId, params.webhookId);
    const [shown] = await presentWithHealth(db, [definition]);
    return { status: 200, body: shown };
  },
});
