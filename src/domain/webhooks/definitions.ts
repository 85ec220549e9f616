/** Finds, creates, changes and deletes webhook definitions, which say what target gets which events. */
import type { Db } from '../../../db/connection.js';
import { EndpointHealth } from '../../../db/models/endpoint-health.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { withRetries } from '../../../db/with-retries.js';
import { endReceiverLinks } from '../access/end-receiver-links.js';
import { newSigningSecret } from '../access/signing-secret.js';
import type { SiteContext } from '../access/site-context.js';
import { isId, newId } from '../kernel/identifier.js';
import type { PageRequest } from '../kernel/paging.js';
import { cancelPending, collectAnew } from './definitions/cancel-pending.js';
import type { DefinitionChange, NewDefinition } from './definitions/definition-input.js';
import { checkProtocol, DEFAULT_COLLECT_HOURS, DEFAULT_FORMAT } from './definitions/definition-input.js';
import { columnsOf } from './definitions/definition-row.js';
import { changedParts, keepFormer } from './definitions/former-definitions.js';
import { lockDefinition, noSuchDefinition } from './definitions/lock-definition.js';
import { filterProblem } from './definitions/payload-filter.js';
import { refusingDuplicates } from './definitions/refuse-duplicates.js';
import { resetHealth } from './definitions/reset-health.js';
import { sealSigningSecret, type WithSecret } from './definitions/signing-secrets.js';
import { subscribableNames } from './events/event-aliases.js';

export { DEFAULT_COLLECT_HOURS, DEFAULT_FORMAT, filterProblem };

/** @throws DomainError not-found */
export async function findDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  const found = isId(id) ? await WebhookDefinition.query(db).findById(id).where({ site_id: siteId }) : undefined;
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

/**
 * @throws DomainError conflict when the account has an identical one in any stage and channel; invalid (API key, or
 *   protocol and target that contradict each other)
 */
export function createDefinition(
  db: Db,
  { siteId, accountId, channel }: SiteContext,
  { requestType, signingSecret = newSigningSecret(), ...fields }: NewDefinition,
  secretsKeys: readonly string[],
): Promise<WithSecret> {
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
    // Attempts from before the change are shown as they were made.
    const version = await keepFormer(trx, before, changedParts(secretsKeys, before, { ...before, ...columns }));
    await refusingDuplicates(trx, { siteId, channel }, { ...before, ...columns }, (savepoint) =>
      WebhookDefinition.query(savepoint)
        .findById(before.id)
        .patch({ ...columns, version, updated_at: new Date() }),
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
    await endReceiverLinks(trx, definition.id);
    return definition;
  });
}
