/** The endpoint that deletes a webhook definition. */
import { deleteDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, targetOf, webhookParams } from './common.js';

export const deleteWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'DELETE',
  path: '/api/v2/webhook/:webhookId',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook definition',
  description: 'Pending deliveries are cancelled.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition that was deleted', schema: webhookSchema } },
  audit: 'WEBHOOK_DELETED',
  async handle({ params, site, audit }, { db }) {
    const deleted = await audit.change(db, (trx) => deleteDefinition(trx, site.siteId, params.webhookId), targetOf);
    return { status: 200, body: presentWebhook(deleted) };
  },
});
