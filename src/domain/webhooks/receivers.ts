/** What partners see who receive the deliveries of one definition, and the links by which they come to see it. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import type { ReceiverPrincipal } from '../access/principals.js';
import { makeReceiverLink } from '../access/receiver-links.js';
import type { SiteContext } from '../access/site-context.js';
import { lockDefinition, noSuchDefinition } from './definitions/lock-definition.js';

/** Makes a link for the receiver of a definition. @throws DomainError not-found, invalid (name), unprocessable (too many) */
export async function linkReceiver(
  trx: Knex.Transaction,
  { siteId, accountId }: Pick<SiteContext, 'siteId' | 'accountId'>,
  webhookId: string,
  input: Parameters<typeof makeReceiverLink>[3],
): ReturnType<typeof makeReceiverLink> {
  const { id } = await lockDefinition(trx, siteId, webhookId);
  return makeReceiverLink(trx, accountId, id, input);
}

/** The definition whose deliveries a receiver gets. @throws DomainError not-found when it was deleted meanwhile */
export async function definitionOfReceiver(
  db: Db,
  { accountId, webhookId }: Pick<ReceiverPrincipal, 'accountId' | 'webhookId'>,
): Promise<WebhookDefinition> {
  const found = await WebhookDefinition.query(db).findById(webhookId).where({ account_id: accountId });
  if (found === undefined) throw noSuchDefinition();
  return found;
}
