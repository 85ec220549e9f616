/** The endpoint that changes a webhook definition. */
import { z } from 'zod';
import { DomainError } from '../../../domain/kernel/errors.js';
import { findDefinition, updateDefinition } from '../../../domain/webhooks/definitions.js';
import { checkTargets } from '../../check-targets.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { refuseOtherTenant } from '../../refuse-other-tenant.js';
import { webhookFields } from '../../webhook-fields.js';
import { ofWebhooks, targetOf, webhookParams } from './common.js';

/** Fields of an answer that a PATCH may repeat as they are, each with what to do instead of changing it. */
const READ_ONLY = {
  webhookId: 'it must be the one in the address',
  status: 'use …/actions/enable or …/actions/disable',
  disabledReason: 'it says why we disabled the definition',
  disabledAt: 'it says when the definition was disabled',
  collectsUntil: 'change collectHours instead',
  previousSecretUntil: 'rotate the secret instead',
  channel: 'a definition keeps the channel with which it was created; create another one',
} as const;

const READ_ONLY_FIELDS = Object.keys(READ_ONLY) as (keyof typeof READ_ONLY)[];

const repeated = z.unknown().meta({ description: 'Optional; it must be what the definition has' });

const updateWebhookBody = z
  .strictObject({
    ...webhookFields,
    requestType: z.unknown().meta({ description: 'Ignored' }),
    webhookId: repeated,
    status: repeated,
    disabledReason: repeated,
    disabledAt: repeated,
    collectsUntil: repeated,
    previousSecretUntil: repeated,
    channel: repeated,
    health: z.unknown().meta({ description: 'Ignored' }),
  })
  .partial();

/** @throws DomainError invalid when a field that cannot be changed differs from the definition */
function refuseOtherValues(
  given: Readonly<Record<keyof typeof READ_ONLY, unknown>>,
  shown: z.input<typeof webhookSchema>,
): void {
  const problems = READ_ONLY_FIELDS.filter((field) => given[field] !== undefined && given[field] !== shown[field]).map(
    (path) => ({ path, code: 'FIELD_READ_ONLY', message: `cannot be changed: ${READ_ONLY[path]}` }),
  );
  if (problems.length === 0) return;
  const message = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: ${message}`, { problems });
}

export const updateWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'PATCH',
  path: '/api/v2/webhook/:webhookId',
  operationId: 'updateWebhook',
  summary: 'Update a webhook definition',
  description: 'Fields that are left out stay as they are, and so does the API key if its mask is sent.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  body: { schema: updateWebhookBody, opaque: 'filter', example: { events: ['ORDER_CREATED'], rateLimit: 10 } },
  refusals: { 409: 'The account has a definition with the same target, protocol, source and apiVersion' },
  responses: { 200: { description: 'The definition as it is now', schema: webhookSchema } },
  audit: 'WEBHOOK_UPDATED',
  async handle({ params, body, site, audit }, services) {
    const { tenantId, createdDate: _, updatedDate: __, requestType: ___, health: ____, ...fields } = body;
    const { webhookId, status, disabledReason, disabledAt, collectsUntil, previousSecretUntil, channel, ...change } =
      fields;
    refuseOtherTenant(tenantId, site.accountId);
    const { db, config, targets } = services;
    const shown = presentWebhook(await findDefinition(db, site.siteId, params.webhookId));
    const repeats = { webhookId, status, disabledReason, disabledAt, collectsUntil, previousSecretUntil, channel };
    refuseOtherValues(repeats, shown);
    await checkTargets(targets, { target: change.target, callbackUrl: change.callbackUrl });
    const definition = await audit.change(
      db,
      (trx) => updateDefinition(trx, site, params.webhookId, change, config.secretsKeys),
      targetOf,
    );
    return { status: 200, body: presentWebhook(definition) };
  },
});
