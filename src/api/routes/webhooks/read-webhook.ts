/** GET /api/v2/webhook/{webhookId} */
import { findDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

export const readWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook/:webhookId',
  summary: 'Read a webhook definition',
  auth: { scope: 'webhooks:read' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentWebhook(await findDefinition(db, site.siteId, params.webhookId)) };
  },
});
