/** Access tokens and OAuth clients: who sends a request, and what the sender may do. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { OauthClient } from '../../../db/models/oauth-client.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import { type Actor, type AuditEntry, recordAudit } from './audit.js';
import { type AccountQuotas, quotasOf } from './quotas.js';
import type { AccountScope } from './scopes.js';
import { ACCOUNT_SCOPES, isAccountScope, OPERATOR_SCOPE } from './scopes.js';

// Creates, lists, revokes and prunes bearer tokens. A token is shown once and never stored.

interface TokenView {
  readonly id: string;
  /** Null: a token of an operator. */
  readonly accountId: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute; null: never, or before this was recorded. */
  readonly lastUsedAt: Date | null;
}

interface NewToken {
  /** Null: a token of an operator, which gives access only to the operator routes. */
  readonly accountId: string | null;
  readonly name: string;
  /** Default: every scope of an account, or `operator`. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/** How long expired tokens are kept. */
const KEEP_EXPIRED_MS = 24 * 3_600_000;

/** Creates a token. @throws DomainError invalid (scopes, name) or not-found (account) */
export async function createToken(db: Db, input: NewToken): Promise<TokenView & { token: string }> {
  const name = checkedName(input.name);
  const scopes = checkedScopes(input.accountId, input.scopes);
  if (input.accountId !== null) await requireAccount(db, input.accountId);
  const token = newSecret('lst');
  const row = await AccessToken.query(db)
    .insert({
      id: newId(),
      digest: digestSecret(token),
      account_id: input.accountId,
      name,
      scopes,
      expires_at: input.expiresAt ?? null,
    })
    .returning('*');
  return { ...tokenView(row), token };
}

/** Lists the tokens of an account, or (null) of operators, oldest first, including revoked and expired ones. */
export async function listTokens(db: Db, accountId: string | null): Promise<TokenView[]> {
  const rows = await AccessToken.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id']);
  return rows.map(tokenView);
}

/** Revokes a token; processes stop accepting it within seconds. May be called again. @throws DomainError not-found */
export async function revokeToken(db: Db, id: string): Promise<TokenView> {
  await AccessToken.query(db).findById(id).whereNull('revoked_at').patch({ revoked_at: new Date() });
  const row = await AccessToken.query(db).findById(id);
  if (row === undefined) throw new DomainError('not-found', 'TOKEN_NOT_FOUND', `there is no token ${id}`);
  return tokenView(row);
}

/** Deletes the tokens that expired long ago, and returns how many. Two processes may run it at the same time. */
export function pruneTokens(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM access_token WHERE id IN (
         SELECT id FROM access_token WHERE expires_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_EXPIRED_MS), limit],
    );
    return rowCount;
  });
}

/** @throws DomainError invalid; its message names the unknown scope */
function checkedScopes(accountId: string | null, scopes: readonly string[] | undefined): string[] {
  if (accountId === null) {
    if (scopes?.some((scope) => scope !== OPERATOR_SCOPE)) {
      throw new DomainError('invalid', 'SCOPE', `an operator's token has the scope ${OPERATOR_SCOPE} and no other`);
    }
    return [OPERATOR_SCOPE];
  }
  const wanted = [...new Set(scopes ?? ACCOUNT_SCOPES)];
  const unknown = wanted.find((scope) => !isAccountScope(scope));
  if (unknown !== undefined || wanted.length === 0) {
    throw new DomainError(
      'invalid',
      'SCOPE',
      `${unknown === undefined ? 'no scope is given' : `"${unknown}" is not a scope of an account`}; the scopes are ${ACCOUNT_SCOPES.join(', ')}`,
    );
  }
  return wanted;
}

function tokenView(row: AccessToken): TokenView {
  const { id, name, scopes } = row;
  return {
    id,
    accountId: row.account_id,
    name,
    scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

// Secrets that are shown once and stored as digests: 256 random bits need no slow hash

/** Creates a random secret. Its prefix shows secret scanners and people what it is. */
function newSecret(prefix: 'lst' | 'lss'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The digest of a secret, which is stored instead of it. */
function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

// Finds the principal of a bearer token, and caches it for a few seconds so that most requests need no query.

type KnownPrincipal = AccountPrincipal | OperatorPrincipal;

/** A token, with what its account may use. */
type TokenRow = AccessToken & { readonly quotas: unknown };

interface CachedToken {
  readonly principal: KnownPrincipal;
  readonly expiresAt: number;
  readonly revoked: boolean;
  readonly cachedAt: number;
}

/** Why a token is refused. */
type Refusal = 'UNKNOWN' | 'REVOKED' | 'EXPIRED';

/**
 * How long a revoked token may still be accepted.
 * @internal exported for tests
 */
export const TOKEN_CACHE_MS = 5_000;
/** Requests share a query for so long. If its connection is silent, those that come later ask on another one. */
const SHARED_FOR_MS = 1_000;
const MAX_CACHED = 10_000;
/**
 * Tokens in one statement, and statements at a time: many tokens that do not exist must not take the connections from
 * those that do. One connection that is silent does not stop the others.
 */
const MAX_LOOKED_UP = 200;
const PARALLEL_LOOKUPS = 3;
const MAX_TOKEN_CHARACTERS = 512;

interface Lookup {
  readonly startedAt: number;
  readonly found: Promise<CachedToken | null>;
}

export interface Authenticator {
  /**
   * The principal of a token; null when it is unknown, revoked or expired.
   * @param refused gets the reason, and whose token it was
   */
  authenticate(
    token: string,
    refused?: (why: Refusal, principal: KnownPrincipal | null) => void,
  ): Promise<KnownPrincipal | null>;
}

/**
 * Looks tokens up by their digests. Only tokens that exist are cached, so that a new token works at once. Concurrent
 * requests share queries.
 * @param elapsed milliseconds of a clock that nobody sets: a revoked token is refused whatever is done to the other one
 * @param now the time of day, in milliseconds, with which tokens expire. Where it goes back, an expired token is valid again:
 *   see "Clocks" in docs/run/operations.md
 */
export function createAuthenticator(
  db: Db,
  elapsed: () => number = () => performance.now(),
  now: () => number = Date.now,
): Authenticator {
  const cache = new Map<string, CachedToken>();
  const underway = new Map<string, Lookup>();

  const findRow = createBatcher<Buffer, TokenRow | undefined>({
    lingerMs: 0,
    maxItems: MAX_LOOKED_UP,
    parallel: PARALLEL_LOOKUPS,
    patienceMs: SHARED_FOR_MS,
    run: async (digests) => {
      const { rows } = await db.raw<{ rows: TokenRow[] }>(
        `SELECT access_token.*, own.quotas FROM access_token
         LEFT JOIN LATERAL (SELECT quotas FROM account WHERE id = access_token.account_id LIMIT 1) AS own ON true
         WHERE digest = ANY (?::bytea[])`,
        [[...digests]],
      );
      return digests.map((digest) => rows.find((row) => row.digest.equals(digest)));
    },
  });

  async function lookUp(key: string, digest: Buffer): Promise<CachedToken | null> {
    // Before the query: it may have read the row at its very beginning.
    const cachedAt = elapsed();
    const row = await findRow(digest);
    if (row === undefined) return null;
    const found = {
      principal: principalOf(row),
      expiresAt: row.expires_at?.getTime() ?? Infinity,
      revoked: row.revoked_at !== null,
      cachedAt,
    };
    cache.delete(key);
    cache.set(key, found);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
    return found;
  }

  async function find(digest: Buffer): Promise<CachedToken | null> {
    const key = digest.toString('base64');
    const known = cache.get(key);
    if (known !== undefined && elapsed() - known.cachedAt < TOKEN_CACHE_MS) return known;
    cache.delete(key);
    const pending = underway.get(key);
    if (pending !== undefined && elapsed() - pending.startedAt < SHARED_FOR_MS) return pending.found;
    const lookup: Lookup = { startedAt: elapsed(), found: lookUp(key, digest) };
    underway.set(key, lookup);
    try {
      return await lookup.found;
    } finally {
      if (underway.get(key) === lookup) underway.delete(key);
    }
  }

  return {
    authenticate: async (token, refused) => {
      const isToken = token !== '' && token.length <= MAX_TOKEN_CHARACTERS;
      const found = isToken ? await find(digestSecret(token)) : null;
      if (found !== null && !found.revoked && found.expiresAt > now()) return found.principal;
      refused?.(reasonOf(found), found?.principal ?? null);
      return null;
    },
  };
}

function reasonOf(found: CachedToken | null): Refusal {
  if (found === null) return 'UNKNOWN';
  return found.revoked ? 'REVOKED' : 'EXPIRED';
}

function principalOf(row: TokenRow): KnownPrincipal {
  if (row.account_id === null) return { kind: 'operator', tokenId: row.id };
  const scopes = row.scopes.filter(isAccountScope);
  return { kind: 'account', tokenId: row.id, accountId: row.account_id, scopes, quotas: quotasOf(row.quotas) };
}

// The principals of requests

interface AccountPrincipal {
  readonly kind: 'account';
  readonly tokenId: string;
  readonly accountId: string;
  readonly scopes: readonly AccountScope[];
  readonly quotas: AccountQuotas;
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
async function authenticateClient(db: Db, clientId: string, clientSecret: string): Promise<ClientView | null> {
  const row = await OauthClient.query(db).findById(clientId);
  if (row === undefined || row.revoked_at !== null) return null;
  return timingSafeEqual(row.secret_digest, digestSecret(clientSecret)) ? clientView(row) : null;
}

/** The name of the tokens that are granted to a client, by which they are found again. */
function grantedTokenName(clientId: string): string {
  return `oauth client ${clientId}`;
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

// The client credentials grant of RFC 6749 §4.4, without HTTP.

export const GRANTED_TOKEN_SECONDS = 600;

interface GrantRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces; undefined: all scopes of the client. */
  readonly scope: string | undefined;
}

/**
 * Creates a token of the client's account that is valid for ten minutes.
 * @throws DomainError `unauthorized` invalid_client, or `invalid` invalid_scope (codes of RFC 6749 §5.2)
 */
export async function grantToken(
  db: Db,
  request: GrantRequest,
  now: Date,
  from: Pick<Actor, 'address' | 'requestId'>,
): Promise<{ token: string; scope: string }> {
  const client = await authenticateClient(db, request.clientId, request.clientSecret);
  if (client === null) throw new DomainError('unauthorized', 'invalid_client', 'unknown client, or wrong secret');
  const wanted = request.scope?.split(' ').filter((scope) => scope !== '') ?? [];
  const refused = wanted.find((scope) => !client.scopes.includes(scope));
  if (refused !== undefined) {
    throw new DomainError(
      'invalid',
      'invalid_scope',
      `this client does not have the scope ${refused}; it has ${client.scopes.join(' ')}`,
    );
  }
  const scopes = wanted.length > 0 ? wanted : client.scopes;
  return db.transaction(async (trx) => {
    const { id, token } = await createToken(trx, {
      accountId: client.accountId,
      name: grantedTokenName(client.clientId),
      scopes,
      expiresAt: new Date(now.getTime() + GRANTED_TOKEN_SECONDS * 1000),
    });
    const actor = { kind: 'client', id: client.clientId, ...from } as const;
    await recordAudit(trx, [{ actor, accountId: client.accountId, action: 'TOKEN_GRANTED', target: `token/${id}` }]);
    return { token, scope: scopes.join(' ') };
  });
}

/** What the audit log says of a grant that was refused: the client is named only if there is one. */
export async function refusedGrant(
  db: Db,
  clientId: string,
  from: Pick<Actor, 'address' | 'requestId'>,
  code: string,
): Promise<AuditEntry> {
  const client = await OauthClient.query(db).findById(clientId);
  const actor = { kind: client === undefined ? 'anonymous' : 'client', id: client?.id ?? null, ...from } as const;
  return { actor, accountId: client?.account_id ?? null, action: 'TOKEN_REFUSED', target: null, result: code };
}
