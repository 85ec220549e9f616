/** OAuth clients, which get short-lived tokens of an account from POST /oauth2/token. */
import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { OauthClient } from '../../../db/models/oauth-client.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import { checkedScopes } from './checked-scopes.js';
import { digestSecret, newSecret } from './secret-digests.js';

interface ClientView {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** To the minute; null: never, or before this was recorded. */
  readonly lastUsedAt: Date | null;
}

/**
 * Creates a client, and returns its secret, which is not shown again.
 * @throws DomainError invalid or not-found (account)
 */
export async function createClient(
  db: Db,
  input: { accountId: string; name: string; scopes?: readonly string[] | undefined },
): Promise<ClientView & { clientSecret: string }> {
  const name = checkedName(input.name);
  const scopes = checkedScopes(input.accountId, input.scopes);
  await requireAccount(db, input.accountId);
  const clientSecret = newSecret('lss');
  const row = await OauthClient.query(db)
    .insert({ id: newId(), secret_digest: digestSecret(clientSecret), account_id: input.accountId, name, scopes })
    .returning('*');
  return { ...clientView(row), clientSecret };
}

/** Lists the clients of an account, oldest first, including revoked ones. */
export async function listClients(db: Db, accountId: string): Promise<ClientView[]> {
  return (await OauthClient.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id'])).map(clientView);
}

/** Revokes a client and the tokens that were granted to it. @throws DomainError not-found */
export async function revokeClient(db: Db, clientId: string): Promise<ClientView> {
  return db.transaction(async (trx) => {
    const now = new Date();
    await OauthClient.query(trx).findById(clientId).whereNull('revoked_at').patch({ revoked_at: now });
    const row = await OauthClient.query(trx).findById(clientId);
    if (row === undefined) throw new DomainError('not-found', 'CLIENT_NOT_FOUND', `there is no client ${clientId}`);
    await AccessToken.query(trx)
      .where({ account_id: row.account_id, name: grantedTokenName(clientId) })
      .whereNull('revoked_at')
      .patch({ revoked_at: now });
    return clientView(row);
  });
}

/** Returns the client with these credentials; null if they are wrong or the client is revoked. */
export async function authenticateClient(db: Db, clientId: string, clientSecret: string): Promise<ClientView | null> {
  const row = await OauthClient.query(db).findById(clientId);
  if (row === undefined || row.revoked_at !== null) return null;
  return timingSafeEqual(row.secret_digest, digestSecret(clientSecret)) ? clientView(row) : null;
}

const GRANTED = 'oauth client ';

/** The name of the tokens that are granted to a client, by which they are found again. */
export function grantedTokenName(clientId: string): string {
  return `${GRANTED}${clientId}`;
}

/** The client to which a token of this name was granted; undefined: to none. */
export function clientOfTokenName(name: string): string | undefined {
  return name.startsWith(GRANTED) ? name.slice(GRANTED.length) : undefined;
}

function clientView(row: OauthClient): ClientView {
  const { id, account_id, name, scopes, created_at, revoked_at, last_used_at } = row;
  return {
    clientId: id,
    accountId: account_id,
    name,
    scopes,
    createdAt: created_at,
    revokedAt: revoked_at,
    lastUsedAt: last_used_at,
  };
}
