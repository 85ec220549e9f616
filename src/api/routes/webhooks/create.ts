/** The endpoint that creates a webhook definition. */
import { z } from 'zod';
import { definitionFields } from '../../../domain/webhooks/definition-fields.js';
import { createDefinition, DEFAULT_COLLECT_HOURS, DEFAULT_FORMAT } from '../../../domain/webhooks/definitions.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookWithSecretSchema } from '../../presenters/present-webhook.js';
import { refuseOtherTenant } from '../../refuse-other-tenant.js';
import { signingSecret, webhookFields } from '../../webhook-fields.js';
import { ofWebhooks, targetOf } from './common.js';

const {
  targetApiKey,
  headers,
  apiVersion,
  format,
  callbackUrl,
  rateLimit,
  ordering,
  filter,
  collectHours,
  ...required
} = webhookFields;
const createWebhookBody = z.strictObject({
  ...required,
  requestType: definitionFields.requestType.default('POST'),
  targetApiKey: targetApiKey.default(null),
  headers: headers.optional(),
  signingSecret: signingSecret
    .optional()
    .meta({ description: 'The secret that signs deliveries; if it is left out, one is created' }),
  apiVersion: apiVersion.default(''),
  format: format.default(DEFAULT_FORMAT),
  callbackUrl: callbackUrl.default(null),
  rateLimit: rateLimit.default(null),
  ordering: ordering.default('none'),
  filter: filter.optional(),
  collectHours: collectHours.default(DEFAULT_COLLECT_HOURS),
});

export const createWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook',
  operationId: 'createWebhook',
  summary: 'Create a webhook definition',
  description:
    'A definition created with a channel (x-site-context) receives only the events of that channel. If the account has a definition with the same target, protocol, source and apiVersion, the answer is 409.',
  auth: { scope: 'webhooks:write' },
  body: {
    schema: createWebhookBody,
    opaque: 'filter',
    example: {
      target: 'https://example.com/hooks',
      protocol: 'HTTPS',
      source: 'OMS',
      events: ['ORDER_CREATED', 'ORDER_UPDATED'],
      apiVersion: 'v1',
    },
  },
  refusals: { 409: 'The account has a definition with the same target, protocol, source and apiVersion' },
  responses: { 200: { description: 'The definition, with its signing secret', schema: webhookWithSecretSchema } },
  audit: 'WEBHOOK_CREATED',
  async handle(
    { body: { tenantId, createdDate: _, updatedDate: __, ...fields }, site, audit },
    { db, config, targets },
  ) {
    refuseOtherTenant(tenantId, site.accountId);
    await checkTargets(targets, { target: fields.target, callbackUrl: fields.callbackUrl });
    const made = await audit.change(
      db,
      (trx) => createDefinition(trx, site, fields, config.secretsKeys),
      ({ definition }) => targetOf(definition),
    );
    return { status: 200, body: { ...presentWebhook(made.definition), signingSecret: made.signingSecret } };
  },
});
