/** POST /api/v2/webhook/{webhookId}/actions/enable */
import { enableDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

export const enableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/enable',
  summary: 'Enable a webhook definition',
  description: 'The definition receives events from now on. The first delivery probes the target before others follow.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentWebhook(await enableDefinition(db, site.siteId, params.webhookId)) };
  },
});
