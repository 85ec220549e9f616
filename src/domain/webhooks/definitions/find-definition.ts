/** Finds definitions of a site. */
import type { Db } from '../../../../db/connection.js';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';
import { isId } from '../../kernel/identifier.js';
import type { PageRequest } from '../../kernel/paging.js';
import { subscribableNames } from '../events/event-names.js';

/** The error of an id that stands for no definition of the site. */
function noSuchDefinition(): DomainError {
  return new DomainError('not-found', 'WEBHOOK_NOT_FOUND', 'No webhook definition present for the given webhook Id');
}

/** @throws DomainError not-found */
export async function findDefinition(db: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  const found = isId(id) ? await WebhookDefinition.query(db).findById(id).where({ site_id: siteId }) : undefined;
  if (found === undefined) throw noSuchDefinition();
  return found;
}

/** Like findDefinition, and keeps others from changing it until the transaction ends. */
export async function lockDefinition(trx: Db, siteId: number, id: string): Promise<WebhookDefinition> {
  const query = WebhookDefinition.query(trx).findById(id).where({ site_id: siteId }).forUpdate();
  const found = isId(id) ? await query : undefined;
  if (found === undefined) throw noSuchDefinition();
  return found;
}

export interface DefinitionFilter {
  /** Those that hear this event. */
  readonly eventType?: string | undefined;
  readonly apiVersion?: string | undefined;
}

/** Oldest first. Under a channel, those that hear events of it; under a `date`, those changed up to it. */
export async function listDefinitions(
  db: Db,
  { siteId, channel, date }: SiteContext,
  { eventType, apiVersion }: DefinitionFilter,
  { offset, limit }: PageRequest,
): Promise<WebhookDefinition[]> {
  const query = WebhookDefinition.query(db).where({ site_id: siteId });
  if (channel !== null) query.where((of) => of.whereNull('channel').orWhere({ channel }));
  if (date !== null) query.where('updated_at', '<=', date);
  if (eventType !== undefined) query.whereRaw('events && ?::text[]', [subscribableNames(eventType)]);
  if (apiVersion !== undefined) query.where({ api_version: apiVersion });
  return query.orderBy(['created_at', 'id']).offset(offset).limit(limit);
}
