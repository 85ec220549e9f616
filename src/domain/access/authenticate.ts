/** Finds the principal of a bearer token, and caches it for a few seconds so that most requests need no query. */
import type { Db } from '../../../db/connection.js';
import type { AccessToken } from '../../../db/models/access-token.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { clientOfTokenName } from './clients.js';
import type { AccountPrincipal, OperatorPrincipal } from './principals.js';
import { quotasOf } from './quotas.js';
import { isAccountScope } from './scopes.js';
import { digestSecret } from './secret-digests.js';

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
 *   see "Clocks" in docs/run/recover.md
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
  const own = { tokenId: row.id, clientId: clientOfTokenName(row.name), accountId: row.account_id };
  return { kind: 'account', ...own, scopes, quotas: quotasOf(row.quotas) };
}
