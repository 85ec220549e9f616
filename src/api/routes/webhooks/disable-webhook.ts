/** POST /api/v2/webhook/{webhookId}/actions/disable */
import { disableDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

export const disableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/disable',
  summary: 'Disable a webhook definition',
  description:
    'The definition receives no events until it is enabled. Pending deliveries are cancelled; `POST /api/v2/webhook/retry` replays them.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  async handle({ params, site }, { db }) {
    return { status: 200, body: presentWebhook(await disableDefinition(db, site.siteId, params.webhookId)) };
  },
});
