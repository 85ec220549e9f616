/** Finds, creates, changes, disables and deletes webhook definitions, which say what target gets which events. */
import type { Db } from '../../../db/connection.js';
import { EndpointHealth } from '../../../db/models/endpoint-health.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { withRetries } from '../../../db/with-retries.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { resealColumns } from '../access/reseal-secrets.js';
import { newSigningSecret } from '../access/signing-secret.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import type { PageRequest } from '../kernel/paging.js';
import { cancelPending, collectAnew, disable } from './definitions/cancel-pending.js';
import type { DefinitionChange, NewDefinition } from './definitions/definition-input.js';
import {
  checkProtocol,
  DEFAULT_COLLECT_HOURS,
  DEFAULT_FORMAT,
  filterProblem,
  MAX_COLLECT_HOURS,
  ORDERINGS,
  PROTOCOLS,
  REQUEST_TYPES,
} from './definitions/definition-input.js';
import {
  columnsOf,
  maskedApiKey,
  maskedHeaders,
  rotatedColumns,
  sealSigningSecret,
} from './definitions/definition-row.js';
import { refusingDuplicates } from './definitions/refuse-duplicates.js';
import { subscribableNames } from './event-types.js';

export {
  DEFAULT_COLLECT_HOURS,
  DEFAULT_FORMAT,
  filterProblem,
  MAX_COLLECT_HOURS,
  maskedApiKey,
  maskedHeaders,
  ORDERINGS,
  PROTOCOLS,
  REQUEST_TYPES,
};

/** The error for an id that belongs to no definition of the site. */
function noSuchDefinition(): DomainError {
  return new DomainError('not-found', 'WEBHOOK_NOT_FOUND', 'No webhook definition present for the given webhook Id');
}

/** @throws DomainError not-found */
export async function findDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  const found = isId(id) ? await WebhookDefinition.query(db).findById(id).where({ site_id: siteId }) : undefined;
  if (found === undefined) throw noSuchDefinition();
  return found;
}

/** Like findDefinition, but also locks the definition until the transaction ends. */
async function lockDefinition(trx: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  const query = WebhookDefinition.query(trx).findById(id).where({ site_id: siteId }).forUpdate();
  const found = isId(id) ? await query : undefined;
  if (found === undefined) throw noSuchDefinition();
  return found;
}

interface DefinitionFilter {
  /** Only definitions that subscribe to this event. */
  readonly eventType?: string | undefined;
  readonly apiVersion?: string | undefined;
}

/**
 * Lists definitions, oldest first: with a channel those that get its events.
 */
export async function listDefinitions(
  db: Db,
  { siteId, channel }: SiteContext,
  { eventType, apiVersion }: DefinitionFilter,
  { offset, limit }: PageRequest,
): Promise<WebhookDefinition[]> {
  const query = WebhookDefinition.query(db).where({ site_id: siteId });
  if (channel !== null) query.where((visible) => visible.whereNull('channel').orWhere({ channel }));
  if (eventType !== undefined) query.whereRaw('events && ?::text[]', [subscribableNames(eventType)]);
  if (apiVersion !== undefined) query.where({ api_version: apiVersion });
  return query.orderBy(['created_at', 'id']).offset(offset).limit(limit);
}

interface CreatedDefinition {
  readonly definition: WebhookDefinition;
  /** It is not shown again. */
  readonly signingSecret: string;
}

/**
 * @throws DomainError conflict when the account has an identical one in any stage and channel; invalid (API key, or
 *   protocol and target that contradict each other)
 */
export function createDefinition(
  db: Db,
  { siteId, accountId, channel }: SiteContext,
  { requestType, signingSecret = newSigningSecret(), ...fields }: NewDefinition,
  secretsKeys: readonly string[],
): Promise<CreatedDefinition> {
  checkProtocol(fields);
  const id = newId();
  const row = {
    ...columnsOf(secretsKeys, id, fields, null),
    id,
    account_id: accountId,
    site_id: siteId,
    channel,
    request_type: requestType,
    secret: sealSigningSecret(secretsKeys, id, signingSecret),
  };
  return withRetries(db, async (trx) => {
    const definition = await refusingDuplicates(trx, { siteId, channel }, row, (savepoint) =>
      WebhookDefinition.query(savepoint).insert(row).returning('*'),
    );
    await EndpointHealth.query(trx).insert({ definition_id: id });
    return { definition, signingSecret };
  });
}

/** @throws DomainError not-found; conflict when it would be identical to another; invalid (API key, protocol) */
export function updateDefinition(
  db: Db,
  { siteId, channel }: Pick<SiteContext, 'siteId' | 'channel'>,
  id: string,
  change: DefinitionChange,
  secretsKeys: readonly string[],
): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const before = await lockDefinition(trx, siteId, id);
    refuseOtherProtocol(before, change);
    const columns = columnsOf(secretsKeys, before.id, change, before);
    // The new endpoint must not inherit the failures of the old one.
    if (columns.target !== undefined && columns.target !== before.target) await resetHealth(trx, before.id);
    await refusingDuplicates(trx, { siteId, channel }, { ...before, ...columns }, (savepoint) =>
      WebhookDefinition.query(savepoint)
        .findById(before.id)
        .patch({ ...columns, updated_at: new Date() }),
    );
    if (change.collectHours !== undefined) await collectAnew(trx, before);
    return WebhookDefinition.query(trx).findById(before.id).throwIfNotFound();
  });
}

/** Definitions from before the two were compared keep working, and can be changed otherwise. */
function refuseOtherProtocol(before: WebhookDefinition, { protocol, target }: DefinitionChange): void {
  const after = { protocol: protocol ?? before.protocol, target: target ?? before.target };
  if (after.protocol !== before.protocol || after.target !== before.target) checkProtocol(after);
}

/** @returns the deleted definition @throws DomainError not-found */
export function deleteDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    await WebhookDefinition.query(trx).deleteById(definition.id);
    await cancelPending(trx, definition.id);
    return definition;
  });
}

/** The `disabledReason` of a definition that its owner disabled. */
const ON_REQUEST = 'disabled on request';

/** Longer than any transaction that saw a definition disabled, and collects an event for it. */
const LATE = "interval '1 day'";

/**
 * Enables a definition unless it is enabled. What it has collected is to be released (redispatch.ts). The first delivery
 * probes its endpoint.
 * @throws DomainError not-found
 */
export function enableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    if (definition.status === 'ACTIVE') return definition;
    await resetHealth(trx, definition.id, { probeFirst: true });
    return WebhookDefinition.query(trx).patchAndFetchById(definition.id, {
      status: 'ACTIVE',
      disabled_reason: null,
      disabled_at: null,
      collects_until: null,
      releases_until: trx.raw(`now() + ${LATE}`),
      updated_at: new Date(),
    });
  });
}

/**
 * Disables a definition: it gets no events until it is enabled, but collects them for some time. Its pending deliveries
 * are cancelled, and can be replayed later. @throws DomainError not-found
 */
export function disableDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  return withRetries(db, async (trx) => {
    const definition = await lockDefinition(trx, siteId, id);
    return (await disable(trx, definition.id, ON_REQUEST)) ?? definition;
  });
}

/**
 * Replaces the secret. The old one signs for another day, and so do those that were replaced less than a day ago.
 * @param signingSecret `whsec_…`
 * @throws DomainError not-found, conflict (too many secrets sign, or this one does already)
 */
export function rotateSecret(
  db: Db,
  siteId: number,
  id: string,
  secretsKeys: readonly string[],
  signingSecret: string = newSigningSecret(),
): Promise<CreatedDefinition> {
  return withRetries(db, async (trx) => {
    const before = await lockDefinition(trx, siteId, id);
    const now = new Date();
    const columns = rotatedColumns(secretsKeys, before, signingSecret, now);
    const definition = await WebhookDefinition.query(trx).patchAndFetchById(before.id, { ...columns, updated_at: now });
    return { definition, signingSecret };
  });
}

/** The columns of definitions that contain sealed secrets. */
const SEALED: readonly SealedColumn[] = [
  { table: 'webhook_definition', column: 'secret', place: 'secret' },
  { table: 'webhook_definition', column: 'previous_secret', place: 'secret' },
  { table: 'webhook_definition', column: 'older_secrets', place: 'older_secrets' },
  { table: 'webhook_definition', column: 'headers', place: 'headers' },
  { table: 'webhook_definition', column: 'target_api_key', place: 'target_api_key' },
];

/**
 * Seals the secrets of all definitions under the newest key.
 * @returns how many were sealed again
 * @throws UnsealError
 */
export function resealDefinitionSecrets(db: Db, secretsKeys: readonly string[]): Promise<number> {
  return resealColumns(db, secretsKeys, SEALED);
}

// The health of an endpoint

/**
 * Resets the health to that of a new definition.
 * @param probeFirst one delivery probes the endpoint before the others follow
 */
async function resetHealth(trx: Db, definitionId: string, { probeFirst = false } = {}): Promise<void> {
  await trx('endpoint_health')
    .insert({ definition_id: definitionId })
    .onConflict('definition_id')
    .merge({
      failure_streak: 0,
      failed_deliveries: 0,
      failing_since: null,
      notices: 0,
      window_began_at: null,
      window_attempts: 0,
      window_failures: 0,
      open_until: probeFirst ? trx.fn.now() : null,
      openings: probeFirst ? 1 : 0,
      paused_until: null,
      probing_since: null,
      ...(probeFirst ? {} : { last_error: null, last_error_at: null }),
      updated_at: trx.fn.now(),
    });
}
