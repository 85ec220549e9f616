/** Locks a definition for a change. */
import type { Knex } from 'knex';
import { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { DomainError } from '../../kernel/errors.js';
import { isId } from '../../kernel/identifier.js';

/** The error for an id that belongs to no definition of the site. */
export function noSuchDefinition(): DomainError {
  return new DomainError('not-found', 'WEBHOOK_NOT_FOUND', 'No webhook definition present for the given webhook Id');
}

/** Like findDefinition, but also locks the definition until the transaction ends. */
export async function lockDefinition(trx: Knex.Transaction, siteId: number, id: string): Promise<WebhookDefinition> {
  const query = WebhookDefinition.query(trx).findById(id).where({ site_id: siteId }).forUpdate();
  const found = isId(id) ? await query : undefined;
  if (found === undefined) throw noSuchDefinition();
  return found;
}
