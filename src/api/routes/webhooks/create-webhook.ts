/** POST /api/v2/webhook */
import { z } from 'zod';
import { createDefinition, DEFAULT_FORMAT } from '../../../domain/webhooks/definitions.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookWithSecretSchema } from '../../presenters/present-webhook.js';
import { refuseOtherTenant } from '../../refuse-other-tenant.js';
import { requestType, webhookFields } from '../../webhook-fields.js';
import { ofWebhooks } from './webhook-route.js';

const { targetApiKey, apiVersion, format, callbackUrl, rateLimit, ...required } = webhookFields;
const body = z.object({
  ...required,
  requestType: requestType.default('POST'),
  targetApiKey: targetApiKey.default(null),
  apiVersion: apiVersion.default(''),
  format: format.default(DEFAULT_FORMAT),
  callbackUrl: callbackUrl.default(null),
  rateLimit: rateLimit.default(null),
});

export const createWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook',
  summary: 'Create a webhook definition',
  description:
    'A definition created with a channel (x-site-context) receives only the events of that channel. If the account has a definition with the same target, protocol, source and apiVersion, the answer is 409.',
  auth: { scope: 'webhooks:write' },
  body: { schema: body },
  responses: { 200: { description: 'The definition, with its signing secret', schema: webhookWithSecretSchema } },
  async handle({ body: { tenantId, createdDate: _, updatedDate: __, ...fields }, site }, { db, config, targets }) {
    refuseOtherTenant(tenantId, site.accountId);
    await checkTargets(targets, { target: fields.target, callbackUrl: fields.callbackUrl });
    const { definition, signingSecret } = await createDefinition(db, site, fields, config.secretsKeys);
    return { status: 200, body: { ...presentWebhook(definition), signingSecret } };
  },
});
