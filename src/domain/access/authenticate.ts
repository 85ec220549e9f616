/** Finds the principal of a bearer token, and caches it for a few seconds so that most requests need no query. */

import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { OauthClient } from '../../../db/models/oauth-client.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import type { AccountScope } from './scopes.js';
import { isAccountScope } from './scopes.js';
import { checkedScopes, digestSecret, newSecret } from './tokens.js';

type KnownPrincipal = AccountPrincipal | OperatorPrincipal;

interface CachedToken {
  readonly principal: KnownPrincipal;
  readonly expiresAt: number;
  readonly cachedAt: number;
}

/**
 * How long a revoked token may still be accepted.
 * @internal exported for tests
 */
export const TOKEN_CACHE_MS = 5_000;
/** Requests share a query for so long. If its connection is silent, those that come later ask on another one. */
const SHARED_FOR_MS = 1_000;
const MAX_CACHED = 10_000;
const MAX_TOKEN_CHARACTERS = 512;

interface Lookup {
  readonly startedAt: number;
  readonly found: Promise<CachedToken | null>;
}

export interface Authenticator {
  /** The principal of a token; null when it is unknown, revoked or expired. */
  authenticate(token: string): Promise<KnownPrincipal | null>;
}

/**
 * Looks tokens up by their digests. Only tokens that exist are cached, so that a new token works at once. Concurrent
 * requests with the same token share one query.
 */
export function createAuthenticator(db: Db, now: () => number = Date.now): Authenticator {
  const cache = new Map<string, CachedToken>();
  const underway = new Map<string, Lookup>();

  async function lookUp(key: string, digest: Buffer): Promise<CachedToken | null> {
    const row = await AccessToken.query(db).findOne({ digest }).whereNull('revoked_at');
    if (row === undefined) return null;
    const found = { principal: principalOf(row), expiresAt: row.expires_at?.getTime() ?? Infinity, cachedAt: now() };
    cache.delete(key);
    cache.set(key, found);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
    return found;
  }

  async function find(digest: Buffer): Promise<CachedToken | null> {
    const key = digest.toString('base64');
    const known = cache.get(key);
    if (known !== undefined && now() - known.cachedAt < TOKEN_CACHE_MS) return known;
    cache.delete(key);
    const pending = underway.get(key);
    if (pending !== undefined && now() - pending.startedAt < SHARED_FOR_MS) return pending.found;
    const lookup: Lookup = { startedAt: now(), found: lookUp(key, digest) };
    underway.set(key, lookup);
    try {
      return await lookup.found;
    } finally {
      if (underway.get(key) === lookup) underway.delete(key);
    }
  }

  return {
    authenticate: async (token) => {
      if (token === '' || token.length > MAX_TOKEN_CHARACTERS) return null;
      const found = await find(digestSecret(token));
      return found !== null && found.expiresAt > now() ? found.principal : null;
    },
  };
}

function principalOf(row: AccessToken): KnownPrincipal {
  if (row.account_id === null) return { kind: 'operator', tokenId: row.id };
  return { kind: 'account', tokenId: row.id, accountId: row.account_id, scopes: row.scopes.filter(isAccountScope) };
}

// The principals of requests

interface AccountPrincipal {
  readonly kind: 'account';
  readonly tokenId: string;
  readonly accountId: string;
  readonly scopes: readonly AccountScope[];
}

interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly tokenId: string;
}

/** The caller of a route that requires no token: the route is public, or the URL is signed. */
interface AnonymousPrincipal {
  readonly kind: 'anonymous';
}

export type Principal = AccountPrincipal | OperatorPrincipal | AnonymousPrincipal;

// OAuth clients, which get short-lived tokens of an account from POST /oauth2/token

interface ClientView {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
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
  return { ...viewOf(row), clientSecret };
}

/** Lists the clients of an account, oldest first, including revoked ones. */
export async function listClients(db: Db, accountId: string): Promise<ClientView[]> {
  return (await OauthClient.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id'])).map(viewOf);
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
    return viewOf(row);
  });
}

/** Returns the client with these credentials; null if they are wrong or the client is revoked. */
export async function authenticateClient(db: Db, clientId: string, clientSecret: string): Promise<ClientView | null> {
  const row = await OauthClient.query(db).findById(clientId);
  if (row === undefined || row.revoked_at !== null) return null;
  return timingSafeEqual(row.secret_digest, digestSecret(clientSecret)) ? viewOf(row) : null;
}

/** The name of the tokens that are granted to a client, by which they are found again. */
export function grantedTokenName(clientId: string): string {
  return `oauth client ${clientId}`;
}

function viewOf({ id, account_id, name, scopes, created_at, revoked_at }: OauthClient): ClientView {
  return { clientId: id, accountId: account_id, name, scopes, createdAt: created_at, revokedAt: revoked_at };
}
