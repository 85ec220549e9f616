/** The endpoint that gives a webhook definition a new secret to sign with. */
import { z } from 'zod';
import { rotateSecret } from '../../../domain/webhooks/definition-secrets.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookWithSecretSchema } from '../../presenters/present-webhook.js';
import { signingSecret } from '../../webhook-fields.js';
import { ofWebhooks, targetOf, webhookParams } from './common.js';

export const rotateWebhookSecretRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/rotate-secret',
  operationId: 'rotateWebhookSecret',
  summary: 'Create a new signing secret for a definition',
  description:
    'A replaced secret signs for another 24 hours: each delivery has one signature for every secret that is not older, at most 10.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  body: {
    schema: z.strictObject({
      signingSecret: signingSecret.optional().meta({
        description: 'The new secret: whsec_ and 24 to 64 bytes as base64; if it is left out, one is created',
      }),
    }),
    required: false,
    example: {},
  },
  refusals: { 409: 'The secret is in use already, or too many secrets are' },
  responses: { 200: { description: 'The definition, with its new signing secret', schema: webhookWithSecretSchema } },
  audit: 'WEBHOOK_SECRET_ROTATED',
  async handle({ params, body, site, audit }, { db, config }) {
    const given = body?.signingSecret;
    const rotated = await audit.change(
      db,
      (trx) => rotateSecret(trx, site.siteId, params.webhookId, config.secretsKeys, given),
      ({ definition }) => targetOf(definition),
    );
    return { status: 200, body: { ...presentWebhook(rotated.definition), signingSecret: rotated.signingSecret } };
  },
});
