/** OAuth clients: who may ask POST /oauth2/token for short-lived tokens of an account. */
import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { OauthClient } from '../../../db/models/oauth-client.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import { digestSecret, newSecret } from './secret.js';
import { checkedScopes } from './tokens.js';

interface ClientView {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Makes a client; its secret is told once. @throws DomainError invalid or not-found (account) */
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
  return { ...viewOf(row), clientSecret };
}

/** An account's clients, revoked ones too, the newest last. */
export async function listClients(db: Db, accountId: string): Promise<ClientView[]> {
  return (await OauthClient.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id'])).map(viewOf);
}

/** Revokes a client and the tokens it was given. @throws DomainError not-found */
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
    return viewOf(row);
  });
}

/** The client with these credentials; null when there is none or it is revoked, without saying which. */
export async function authenticateClient(db: Db, clientId: string, clientSecret: string): Promise<ClientView | null> {
  const row = await OauthClient.query(db).findById(clientId);
  if (row === undefined || row.revoked_at !== null) return null;
  return timingSafeEqual(row.secret_digest, digestSecret(clientSecret)) ? viewOf(row) : null;
}

/** The name that ties a granted token to its client. */
export function grantedTokenName(clientId: string): string {
  return `oauth client ${clientId}`;
}

function viewOf({ id, account_id, name, scopes, created_at, revoked_at }: OauthClient): ClientView {
  return { clientId: id, accountId: account_id, name, scopes, createdAt: created_at, revokedAt: revoked_at };
}
