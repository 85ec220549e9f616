/**
 * Links for the partners who receive the deliveries of one webhook definition. A link is a token without scopes that
 * nobody has ever seen, bound to the definition; its code is exchanged once for a session.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { checkedName } from './accounts.js';
import { makeLoginCode, useLoginCode } from './login-codes.js';
import { createToken, revokeToken } from './tokens.js';

export const MAX_RECEIVER_HOURS = 720;
export const DEFAULT_RECEIVER_HOURS = 168;
/** Valid ones of one definition. */
const MAX_RECEIVER_LINKS = 100;

export interface ReceiverLink {
  readonly id: string;
  readonly name: string;
  readonly replay: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When it was opened; null: not yet. */
  readonly openedAt: Date | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null;
}

interface NewReceiverLink {
  readonly name: string;
  readonly replay: boolean;
  readonly hours: number;
}

/**
 * Makes a link. The caller holds a lock of the definition, so that it is not deleted meanwhile.
 * @throws DomainError invalid (name), unprocessable (too many)
 */
export async function makeReceiverLink(
  trx: Knex.Transaction,
  accountId: string,
  webhookId: string,
  { name, replay, hours }: NewReceiverLink,
): Promise<{ readonly link: ReceiverLink; readonly code: string }> {
  const valid = await listReceiverLinks(trx, accountId, webhookId);
  if (valid.length >= MAX_RECEIVER_LINKS) {
    const message = `a webhook has at most ${MAX_RECEIVER_LINKS} links for receivers; revoke those that nobody needs`;
    throw new DomainError('unprocessable', 'TOO_MANY_RECEIVER_LINKS', message);
  }
  const expiresAt = new Date(Date.now() + hours * 3_600_000);
  const receives = { webhookId, mayReplay: replay };
  const { id } = await createToken(trx, { accountId, name: checkedName(name), scopes: [], expiresAt, receives });
  const { code } = await makeLoginCode(trx, id, hours * 60, 'lsl');
  const [link] = await listReceiverLinks(trx, accountId, webhookId, id);
  if (link === undefined) throw new Error(`the link ${id} was made and is not there`);
  return { link, code };
}

/** The valid links of a definition, the newest first. @param id only this one */
export async function listReceiverLinks(
  db: Db,
  accountId: string,
  webhookId: string,
  id?: string,
): Promise<ReceiverLink[]> {
  const query = db('access_token')
    .where({ account_id: accountId, webhook_id: webhookId, revoked_at: null })
    .where('expires_at', '>', db.fn.now())
    .orderBy([{ column: 'created_at', order: 'desc' }, 'id']);
  if (id !== undefined) query.where({ id });
  return query.select({
    id: 'id',
    name: 'name',
    replay: 'may_replay',
    createdAt: 'created_at',
    expiresAt: 'expires_at',
    openedAt: db.raw('(SELECT max(used_at) FROM login_code WHERE token_id = access_token.id)'),
    lastUsedAt: 'last_used_at',
  });
}

/** Revokes a link: its session ends within seconds. @throws DomainError not-found */
export async function revokeReceiverLink(db: Db, accountId: string, webhookId: string, id: string): Promise<void> {
  const [found] = await listReceiverLinks(db, accountId, webhookId, id);
  if (found === undefined) {
    throw new DomainError(
      'not-found',
      'RECEIVER_LINK_NOT_FOUND',
      'there is no such link of this webhook that is valid',
    );
  }
  await revokeToken(db, id);
}

/**
 * Opens a link, which is possible once. The others wait for the end of this transaction, and are refused.
 * @throws DomainError unauthorized, in the same words whatever is wrong with it
 */
export async function openReceiverLink(
  trx: Knex.Transaction,
  code: string,
): Promise<{
  readonly tokenId: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly expiresAt: Date;
}> {
  const used = await useLoginCode(trx, code, 'lsl');
  const row = await trx('access_token').where({ id: used.tokenId }).first('webhook_id', 'expires_at');
  return { ...used, webhookId: row.webhook_id, expiresAt: row.expires_at };
}
