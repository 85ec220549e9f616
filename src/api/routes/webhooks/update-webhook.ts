/** PATCH /api/v2/webhook/{webhookId} */
import { z } from 'zod';
import { updateDefinition } from '../../../domain/webhooks/definitions.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { refuseOtherTenant } from '../../refuse-other-tenant.js';
import { webhookFields } from '../../webhook-fields.js';
import { ofWebhooks, webhookParams } from './webhook-route.js';

const body = z.object({ ...webhookFields, requestType: z.unknown().meta({ description: 'Ignored' }) }).partial();

export const updateWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'PATCH',
  path: '/api/v2/webhook/:webhookId',
  summary: 'Update a webhook definition',
  description: 'Fields that are left out stay as they are, and so does the API key if its mask is sent.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  body: { schema: body },
  responses: { 200: { description: 'The definition as it is now', schema: webhookSchema } },
  async handle(
    { params, body: { tenantId, createdDate: _, updatedDate: __, requestType: ___, ...change }, site },
    services,
  ) {
    refuseOtherTenant(tenantId, site.accountId);
    const { db, config, targets } = services;
    await checkTargets(targets, { target: change.target, callbackUrl: change.callbackUrl });
    const definition = await updateDefinition(db, site.siteId, params.webhookId, change, config.secretsKeys);
    return { status: 200, body: presentWebhook(definition) };
  },
});
