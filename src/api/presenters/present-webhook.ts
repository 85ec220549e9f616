/** A webhook definition as clients see it. */
import { z } from 'zod';
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { maskedApiKey } from '../../domain/webhooks/definitions.js';

const fields = {
  webhookId: z.string(),
  target: z.string(),
  protocol: z.string(),
  source: z.string(),
  events: z.array(z.string()),
  requestType: z.string(),
  tenantId: z.string(),
  targetApiKey: z.string().nullable().meta({ description: 'Masked: ****abcd' }),
  apiVersion: z.string(),
  format: z.string(),
  callbackUrl: z.string().nullable(),
  createdDate: z.iso.datetime(),
  updatedDate: z.iso.datetime(),
  status: z.enum(['ACTIVE', 'DISABLED']),
  disabledReason: z.string().nullable(),
  channel: z
    .int()
    .nullable()
    .meta({ description: 'The definition receives the events of this channel only; null: of all channels' }),
  rateLimit: z.int().nullable().meta({ description: 'The largest number of deliveries per second; null: no limit' }),
};

export const webhookSchema = z.object(fields).meta({ id: 'WebhookDefinition' });

/** The answer to creating a definition and to rotating its secret. */
export const webhookWithSecretSchema = z
  .object({
    ...fields,
    signingSecret: z.string().meta({ description: 'The key that signs deliveries; it is shown only once' }),
  })
  .meta({ id: 'WebhookDefinitionWithSecret' });

export function presentWebhook(definition: WebhookDefinition): z.input<typeof webhookSchema> {
  return {
    target: definition.target,
    protocol: definition.protocol,
    source: definition.source,
    events: definition.events,
    requestType: definition.request_type,
    webhookId: definition.id,
    tenantId: definition.account_id,
    targetApiKey: maskedApiKey(definition.target_api_key_hint),
    apiVersion: definition.api_version,
    format: definition.format,
    callbackUrl: definition.callback_url,
    createdDate: definition.created_at.toISOString(),
    updatedDate: definition.updated_at.toISOString(),
    status: definition.status,
    disabledReason: definition.disabled_reason,
    channel: definition.channel,
    rateLimit: definition.rate_limit,
  };
}
