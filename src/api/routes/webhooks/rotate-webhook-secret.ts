/** POST /api/v2/webhook/{webhookId}/actions/rotate-secret */
import { rotateSecret } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookWithSecretSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

export const rotateWebhookSecretRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/rotate-secret',
  summary: 'Create a new signing secret for a definition',
  description:
    'For 24 hours each delivery has two signatures: one with the new secret and one with the previous secret.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition, with its new signing secret', schema: webhookWithSecretSchema } },
  async handle({ params, site }, { db, config }) {
    const rotated = await rotateSecret(db, site.siteId, params.webhookId, config.secretsKeys);
    return { status: 200, body: { ...presentWebhook(rotated.definition), signingSecret: rotated.signingSecret } };
  },
});
