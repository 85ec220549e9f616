/** The endpoints of webhook definitions, with the form in which clients see a definition. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { OpaqueJson } from '../../domain/kernel/opaque-json.js';
import {
  createDefinition,
  DEFAULT_COLLECT_HOURS,
  DEFAULT_FORMAT,
  deleteDefinition,
  disableDefinition,
  enableDefinition,
  findDefinition,
  listDefinitions,
  maskedApiKey,
  maskedHeaders,
  ORDERINGS,
  rotateSecret,
  updateDefinition,
} from '../../domain/webhooks/definitions.js';
import { type EndpointState, endpointStates } from '../../domain/webhooks/event-log.js';
import { releaseCollected, resumeDeliveries } from '../../domain/webhooks/redispatch.js';
import { enqueueEntries } from '../../queues/outbox.js';
import { checkTargets } from '../check-targets.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, searchText } from '../list-query.js';
import { refuseOtherTenant } from '../refuse-other-tenant.js';
import { requestType, shownFilter, signingSecret, webhookFields } from '../webhook-fields.js';

// A webhook definition as clients see it.

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
  channel: z
    .int()
    .nullable()
    .meta({ description: 'The definition receives the events of this channel only; null: of all channels' }),
  rateLimit: z.int().nullable().meta({ description: 'The largest number of deliveries per second; null: no limit' }),
  ordering: z.enum(ORDERINGS),
  filter: shownFilter,
};

const webhookSchema = z.object(fields).meta({ id: 'WebhookDefinition' });

/** The answer to creating a definition and to rotating its secret. */
const webhookWithSecretSchema = z
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
const webhookWithHealthSchema = z.object({ ...fields, health }).meta({ id: 'WebhookDefinitionWithHealth' });

async function presentWithHealth(
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

function presentWebhook(definition: WebhookDefinition): z.input<typeof webhookSchema> {
  return {
    target: definition.target,
    protocol: definition.protocol,
    source: definition.source,
    events: definition.events,
    requestType: definition.request_type,
    webhookId: definition.id,
    tenantId: definition.account_id,
    targetApiKey: maskedApiKey(definition.target_api_key_hint),
    headers: maskedHeaders(definition.header_hints),
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
    channel: definition.channel,
    rateLimit: definition.rate_limit,
    ordering: definition.ordering ?? 'none',
    filter: definition.filter === null ? null : new OpaqueJson(definition.filter),
  };
}

function collectsUntil({ status, collects_until: until }: WebhookDefinition): string | null {
  return status === 'DISABLED' && until !== null && until.getTime() > Date.now() ? until.toISOString() : null;
}

// What the routes of webhook definitions have in common.

/** How the audit log names a definition. */
function targetOf({ id }: Pick<WebhookDefinition, 'id'>): string {
  return `webhook/${id}`;
}

const webhookParams = z.object({ webhookId: z.string() });

const ofWebhooks = { family: 'oms', tag: 'Webhooks', siteContext: true } as const;

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
  requestType: requestType.default('POST'),
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

const createWebhookRoute = defineRoute({
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

const DEFAULT_LIMIT = 100;

const query = z.strictObject({
  eventType: searchText.optional().meta({ description: 'Only definitions that receive this event' }),
  apiVersion: z.string().max(100).optional(),
  offset: pageParameters.offset,
  limit: pageParameters.limit
    .default(DEFAULT_LIMIT)
    .meta({ description: `How many elements to return (default ${DEFAULT_LIMIT})` }),
});

const listWebhooksRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook',
  operationId: 'listWebhooks',
  summary: 'List webhook definitions',
  description:
    'Answers a bare array, oldest first. With a channel, it contains the definitions that receive events of that channel.',
  auth: { scope: 'webhooks:read' },
  query,
  responses: { 200: { description: 'The definitions', schema: z.array(webhookWithHealthSchema) } },
  async handle({ query: { eventType, apiVersion, ...page }, site }, { db }) {
    const definitions = await listDefinitions(db, site, { eventType, apiVersion }, page);
    return { status: 200, body: await presentWithHealth(db, definitions) };
  },
});

const readWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'GET',
  path: '/api/v2/webhook/:webhookId',
  operationId: 'getWebhook',
  summary: 'Read a webhook definition, and how its endpoint is doing',
  description:
    'The definition without its secrets: the API key and the headers are masked, and the signing secret is not shown.',
  auth: { scope: 'webhooks:read' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookWithHealthSchema } },
  async handle({ params, site }, { db }) {
    const definition = await findDefinition(db, site.siteId, params.webhookId);
    const [shown] = await presentWithHealth(db, [definition]);
    return { status: 200, body: shown };
  },
});

/** Fields of an answer that a PATCH may repeat as they are, each with what to do instead of changing it. */
const READ_ONLY = {
  webhookId: 'it must be the one in the address',
  status: 'use …/actions/enable or …/actions/disable',
  disabledReason: 'it says why we disabled the definition',
  disabledAt: 'it says when the definition was disabled',
  collectsUntil: 'change collectHours instead',
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

const updateWebhookRoute = defineRoute({
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
    const { webhookId, status, disabledReason, disabledAt, collectsUntil, channel, ...change } = fields;
    refuseOtherTenant(tenantId, site.accountId);
    const { db, config, targets } = services;
    const shown = presentWebhook(await findDefinition(db, site.siteId, params.webhookId));
    refuseOtherValues({ webhookId, status, disabledReason, disabledAt, collectsUntil, channel }, shown);
    await checkTargets(targets, { target: change.target, callbackUrl: change.callbackUrl });
    const definition = await audit.change(
      db,
      (trx) => updateDefinition(trx, site, params.webhookId, change, config.secretsKeys),
      targetOf,
    );
    return { status: 200, body: presentWebhook(definition) };
  },
});

const deleteWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'DELETE',
  path: '/api/v2/webhook/:webhookId',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook definition',
  description: 'Pending deliveries are cancelled.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition that was deleted', schema: webhookSchema } },
  audit: 'WEBHOOK_DELETED',
  async handle({ params, site, audit }, { db }) {
    const deleted = await audit.change(db, (trx) => deleteDefinition(trx, site.siteId, params.webhookId), targetOf);
    return { status: 200, body: presentWebhook(deleted) };
  },
});

const result = z.object({
  delivered: z.boolean().meta({ description: 'Whether the target answered 2xx' }),
  statusCode: z.int().optional(),
  durationMs: z.int(),
  error: z
    .string()
    .optional()
    .meta({ description: 'It begins with "blocked address" if the target may not be called' }),
});

const testWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/test',
  operationId: 'testWebhook',
  summary: 'Call the target of a webhook definition',
  description: 'Sends a signed event PING at once, and answers the outcome. The event is not stored and not retried.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The outcome, delivered or not', schema: result } },
  audit: 'WEBHOOK_TESTED',
  async handle({ params, site, audit, endTurn }, { db, config, targets, stopping }) {
    const definition = await findDefinition(db, site.siteId, params.webhookId);
    // The target decides how long this takes.
    endTurn();
    const outcome = await targets.ping(config.secretsKeys, definition, stopping);
    await audit.record(db, targetOf(definition));
    return { status: 200, body: outcome };
  },
});

const rotateWebhookSecretRoute = defineRoute({
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

const enableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/enable',
  operationId: 'enableWebhook',
  summary: 'Enable a webhook definition',
  description:
    'The definition receives events from now on. What it has collected while it was disabled is delivered, oldest first. The first delivery probes the target before others follow.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  audit: 'WEBHOOK_ENABLED',
  async handle({ params, site, audit }, { db, producer, logger }) {
    const enabled = await audit.change(db, (trx) => enableDefinition(trx, site.siteId, params.webhookId), targetOf);
    // The first of what was collected; maintenance releases the rest.
    await enqueueEntries(producer, await releaseCollected(db, enabled.id), logger);
    return { status: 200, body: presentWebhook(enabled) };
  },
});

const disableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/disable',
  operationId: 'disableWebhook',
  summary: 'Disable a webhook definition',
  description:
    'The definition receives no events until it is enabled. For `collectHours` it collects events, which are delivered then. Pending deliveries are cancelled; `POST /api/v2/webhook/retry` replays them.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  audit: 'WEBHOOK_DISABLED',
  async handle({ params, site, audit }, { db }) {
    const disabled = await audit.change(db, (trx) => disableDefinition(trx, site.siteId, params.webhookId), targetOf);
    return { status: 200, body: presentWebhook(disabled) };
  },
});

const resumed = z.object({
  deliveries: z.int().meta({ description: 'How many waiting deliveries are attempted now' }),
  more: z.boolean().meta({ description: 'true: there were too many for one request; repeat it for the others' }),
});

const resumeWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/resume',
  operationId: 'resumeWebhook',
  summary: 'Attempt the waiting deliveries of a definition now',
  description:
    'Deliveries that wait for their next attempt are attempted now, even if the circuit breaker is open or the target asked us to wait. If the breaker is open, one delivery probes the target before others follow.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  refusals: { 409: 'The definition is disabled' },
  responses: { 202: { description: 'The deliveries are on the queue', schema: resumed } },
  audit: 'WEBHOOK_RESUMED',
  async handle({ params, site, audit }, { db, producer, logger }) {
    const record = (trx: Db) => audit.record(trx, targetOf({ id: params.webhookId }));
    const { outboxEntries, more } = await resumeDeliveries(db, site.siteId, params.webhookId, record);
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { deliveries: outboxEntries.length, more } };
  },
});

export const webhookRoutes: readonly Route[] = [
  createWebhookRoute,
  listWebhooksRoute,
  readWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  testWebhookRoute,
  rotateWebhookSecretRoute,
  enableWebhookRoute,
  disableWebhookRoute,
  resumeWebhookRoute,
];
