/** DELETE /api/v2/webhook/{webhookId} */
import { deleteDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

export const deleteWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'DELETE',
  path: '/api/v2/webhook/:webhookId',
  summary: 'Delete a webhook definition',
  description: 'Pending deliveries are cancelled.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition that was deleted', schema: webhookSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentWebhook(await deleteDefinition(db, site.siteId, params.webhookId)) };
  },
});
