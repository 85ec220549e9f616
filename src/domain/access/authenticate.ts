/**
 * Finds the principal of a bearer token, or of a session, and caches it for a few seconds so that most requests need no
 * query.
 */
import type { Db } from '../../../db/connection.js';
import type { AccessToken } from '../../../db/models/access-token.js';
import { RecentlyUsed } from '../../platform/concurrency/recently-used.js';
import { clientOfTokenName } from './clients.js';
import { findByDigest } from './find-by-digest.js';
import { type AccountPrincipal, isOfAccount, type OperatorPrincipal, type ReceiverPrincipal } from './principals.js';
import { quotasOf } from './quotas.js';
import { scopesOf } from './roles.js';
import { isAccountScope } from './scopes.js';
import { digestSecret } from './secret-digests.js';

type KnownPrincipal = AccountPrincipal | ReceiverPrincipal | OperatorPrincipal;

/** A token, with what its account may use, and the session by which it was found. */
type TokenRow = AccessToken & {
  readonly quotas: unknown;
  /** The digest that was asked for: that of the token, or that of the session. */
  readonly asked: Buffer;
  readonly session_id: string | null;
  /** When the session expires, by its last use or its age; null: it has none. */
  readonly session_until: Date | null;
  readonly session_ended_at: Date | null;
};

/** What a secret is of. */
type SecretKind = 'token' | 'session';

interface CachedToken {
  readonly principal: KnownPrincipal;
  readonly expiresAt: number;
  readonly revoked: boolean;
  readonly cachedAt: number;
}

/** Why a token or a session is refused. */
type Refusal = 'UNKNOWN' | 'REVOKED' | 'EXPIRED';

/** How long a revoked token may still be accepted. */
const TOKEN_CACHE_MS = 5_000;
/** Requests share a query for so long. If its connection is silent, those that come later ask on another one. */
const SHARED_FOR_MS = 1_000;
const MAX_CACHED = 10_000;
const MAX_ENDED = 10_000;
const MAX_TOKEN_CHARACTERS = 512;

interface Lookup {
  readonly startedAt: number;
  readonly found: Promise<CachedToken | null>;
}

export interface Authenticator {
  /**
   * The principal of a token or of a session; null when it is unknown, revoked, ended or expired. A session is valid no
   * longer than its token.
   * @param refused gets the reason, and whose it was
   * @param kind what the secret is of
   */
  authenticate(
    secret: string,
    refused?: (why: Refusal, principal: KnownPrincipal | null) => void,
    kind?: SecretKind,
  ): Promise<KnownPrincipal | null>;
  /** Refuses a session at once that has ended; other processes refuse it within seconds. */
  forgetSession(id: string): void;
  /** Refuses a token at once that was revoked, and its sessions. */
  forgetToken(id: string): void;
}

/**
 * Looks tokens and sessions up by their digests. Only those that exist are cached, so that a new one works at once. Concurrent
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
  /** Sessions and tokens that this process has ended: a query that had begun before may still find them. */
  const ended = new RecentlyUsed<true>(MAX_ENDED, 0);

  const hasEnded = ({ id, session_id }: TokenRow): boolean =>
    ended.get(id) === true || ended.get(session_id ?? '') === true;

  const forget = (id: string): void => {
    ended.set(id, true);
    for (const [key, { principal }] of cache) {
      if (principal.tokenId === id || (isOfAccount(principal) && principal.sessionId === id)) cache.delete(key);
    }
  };

  async function lookUp(kind: SecretKind, key: string, digest: Buffer): Promise<CachedToken | null> {
    // Before the query: it may have read the row at its very beginning.
    const cachedAt = elapsed();
    const row = await findByDigest<TokenRow>(db, kind === 'token' ? TOKENS : SESSIONS, digest);
    if (row === undefined) return null;
    const found = {
      principal: principalOf(row),
      expiresAt: Math.min(row.expires_at?.getTime() ?? Infinity, row.session_until?.getTime() ?? Infinity),
      revoked: row.revoked_at !== null || row.session_ended_at !== null || hasEnded(row),
      cachedAt,
    };
    cache.delete(key);
    cache.set(key, found);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
    return found;
  }

  async function find(kind: SecretKind, digest: Buffer): Promise<CachedToken | null> {
    const key = `${kind} ${digest.toString('base64')}`;
    const known = cache.get(key);
    if (known !== undefined && elapsed() - known.cachedAt < TOKEN_CACHE_MS) return known;
    cache.delete(key);
    const pending = underway.get(key);
    if (pending !== undefined && elapsed() - pending.startedAt < SHARED_FOR_MS) return pending.found;
    const lookup: Lookup = { startedAt: elapsed(), found: lookUp(kind, key, digest) };
    underway.set(key, lookup);
    try {
      return await lookup.found;
    } finally {
      if (underway.get(key) === lookup) underway.delete(key);
    }
  }

  return {
    authenticate: async (secret, refused, kind = 'token') => {
      const isSecret = secret !== '' && secret.length <= MAX_TOKEN_CHARACTERS;
      const found = isSecret ? await find(kind, digestSecret(secret)) : null;
      if (found !== null && !found.revoked && found.expiresAt > now()) return found.principal;
      refused?.(reasonOf(found), found?.principal ?? null);
      return null;
    },
    forgetSession: forget,
    forgetToken: forget,
  };
}

const OWN_QUOTAS = `
  LEFT JOIN LATERAL (SELECT quotas FROM account WHERE id = access_token.account_id LIMIT 1) AS own ON true`;

const TOKENS = `
  SELECT access_token.*, access_token.digest AS asked, own.quotas, NULL AS session_id,
    NULL::timestamptz AS session_until, NULL::timestamptz AS session_ended_at
  FROM access_token ${OWN_QUOTAS}
  WHERE digest = ANY (?::bytea[])`;

const SESSIONS = `
  SELECT access_token.*, session.digest AS asked, own.quotas, session.id AS session_id,
    least(session.expires_at, session.last_used_at + session.idle_seconds * interval '1 second') AS session_until,
    session.ended_at AS session_ended_at
  FROM session JOIN access_token ON access_token.id = session.token_id ${OWN_QUOTAS}
  WHERE session.digest = ANY (?::bytea[])`;

function reasonOf(found: CachedToken | null): Refusal {
  if (found === null) return 'UNKNOWN';
  return found.revoked ? 'REVOKED' : 'EXPIRED';
}

function principalOf(row: TokenRow): KnownPrincipal {
  if (row.account_id === null) return { kind: 'operator', tokenId: row.id };
  const scopes = scopesOf(row).filter(isAccountScope);
  const sessionId = row.session_id ?? undefined;
  const own = { tokenId: row.id, sessionId, accountId: row.account_id, quotas: quotasOf(row.quotas) };
  if (row.webhook_id !== null) {
    return { kind: 'receiver', ...own, webhookId: row.webhook_id, mayReplay: row.may_replay === true };
  }
  return { kind: 'account', ...own, clientId: clientOfTokenName(row.name), scopes };
}
