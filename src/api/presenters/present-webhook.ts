/** A webhook definition as clients see it. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { OpaqueJson } from '../../domain/kernel/opaque-json.js';
import { definitionFields } from '../../domain/webhooks/definition-fields.js';
import { type EndpointState, endpointStates } from '../../domain/webhooks/endpoint-states.js';
import { maskedTarget } from '../../domain/webhooks/model/masks.js';
import { shownFilter } from '../webhook-fields.js';

const fields = {
  webhookId: z.string(),
  target: z.string(),
  protocol: z.string(),
  source: z.string(),
  events: z.array(z.string()),
  requestType: z.string(),
  tenantId: z.string(),
  targetApiKey: z.string().nullable().meta({ description: 'Masked: ****abcd' }),
  headers: z.record(z.string(), z.string()).meta({ description: 'By name, with masked values: ****abcd' }),
  apiVersion: z.string(),
  format: z.string(),
  callbackUrl: z.string().nullable(),
  createdDate: z.iso.datetime(),
  updatedDate: z.iso.datetime(),
  status: z.enum(['ACTIVE', 'DISABLED']),
  disabledReason: z.string().nullable(),
  disabledAt: z.iso.datetime().nullable(),
  collectHours: z
    .int()
    .meta({ description: 'How many hours the definition goes on collecting events after it was disabled' }),
  collectsUntil: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'The disabled definition collects events until then; null: it collects none' }),
  previousSecretUntil: z.iso.datetime().nullable().meta({
    description: 'The secret that was replaced last signs deliveries until then, too; null: only one secret signs',
  }),
  channel: z
    .int()
    .nullable()
    .meta({ description: 'The definition receives the events of this channel only; null: of all channels' }),
  rateLimit: z.int().nullable().meta({ description: 'The largest number of deliveries per second; null: no limit' }),
  ordering: definitionFields.ordering,
  filter: shownFilter,
};

export const webhookSchema = z.object(fields).meta({ id: 'WebhookDefinition' });

/** The answer to creating a definition and to rotating its secret. */
export const webhookWithSecretSchema = z
  .object({
    ...fields,
    signingSecret: z.string().meta({ description: 'The key that signs deliveries; it is shown only once' }),
  })
  .meta({ id: 'WebhookDefinitionWithSecret' });

const time = z.iso.datetime().nullable();

/** How the endpoint of a definition is doing. */
const health = z.object({
  breaker: z.enum(['CLOSED', 'OPEN', 'HALF_OPEN', 'PAUSED']).meta({
    description:
      'CLOSED: deliveries are sent. OPEN: the circuit breaker keeps them back. HALF_OPEN: the next one is a probe. PAUSED: the target asked us to wait (429, 503)',
  }),
  nextAttemptAt: time.meta({ description: 'When the next delivery may be attempted; null: none is waiting' }),
  failureRate: z
    .number()
    .nullable()
    .meta({ description: 'The failed share of the attempts of the last minutes, 0 to 1; null: none of them failed' }),
  failuresInARow: z.int(),
  failingSince: time.meta({ description: 'The first of the failures in a row' }),
  backlog: z.int().meta({ description: 'How many deliveries are waiting' }),
  backlogIsLowerBound: z.boolean().meta({ description: 'true: more deliveries are waiting than were counted' }),
  lastError: z.string().nullable(),
  lastErrorAt: time,
});

/** The answer to reading definitions. */
export const webhookWithHealthSchema = z.object({ ...fields, health }).meta({ id: 'WebhookDefinitionWithHealth' });

export async function presentWithHealth(
  db: Db,
  definitions: readonly WebhookDefinition[],
): Promise<z.input<typeof webhookWithHealthSchema>[]> {
  const states = await endpointStates(
    db,
    definitions.map(({ id }) => id),
  );
  return definitions.flatMap((definition) => {
    const state = states.get(definition.id);
    return state === undefined ? [] : [{ ...presentWebhook(definition), health: presentHealth(state) }];
  });
}

function presentHealth({ nextAttemptAt, failingSince, lastErrorAt, ...rest }: EndpointState): z.input<typeof health> {
  return {
    ...rest,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    lastErrorAt: lastErrorAt?.toISOString() ?? null,
  };
}

export function presentWebhook(definition: WebhookDefinition): z.input<typeof webhookSchema> {
  return {
    target: definition.target,
    protocol: definition.protocol,
    source: definition.source,
    events: definition.events,
    requestType: definition.request_type,
    webhookId: definition.id,
    tenantId: definition.account_id,
    ...maskedTarget(definition),
    apiVersion: definition.api_version,
    format: definition.format,
    callbackUrl: definition.callback_url,
    createdDate: definition.created_at.toISOString(),
    updatedDate: definition.updated_at.toISOString(),
    status: definition.status,
    disabledReason: definition.disabled_reason,
    disabledAt: definition.disabled_at?.toISOString() ?? null,
    collectHours: definition.collect_hours,
    collectsUntil: collectsUntil(definition),
    previousSecretUntil: previousSecretUntil(definition),
    channel: definition.channel,
    rateLimit: definition.rate_limit,
    ordering: definition.ordering ?? 'none',
    filter: definition.filter === null ? null : new OpaqueJson(definition.filter),
  };
}

function collectsUntil({ status, collects_until: until }: WebhookDefinition): string | null {
  return status === 'DISABLED' && until !== null && until.getTime() > Date.now() ? until.toISOString() : null;
}

function previousSecretUntil({ previous_secret_until: until }: WebhookDefinition): string | null {
  return until !== null && until.getTime() > Date.now() ? until.toISOString() : null;
}
