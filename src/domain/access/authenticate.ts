/** Who a bearer token belongs to, remembered for a few seconds so that a request costs no query of its own. */
import type { Db } from '../../../db/connection.js';
import { AccessToken } from '../../../db/models/access-token.js';
import type { AccountPrincipal, OperatorPrincipal } from './principal.js';
import { isAccountScope } from './scopes.js';
import { digestSecret } from './secret.js';

type KnownPrincipal = AccountPrincipal | OperatorPrincipal;

interface Sighting {
  readonly principal: KnownPrincipal;
  readonly expiresAt: number;
  readonly seenAt: number;
}

/**
 * How long a revoked token may still be taken.
 * @internal exported for tests
 */
export const TOKEN_CACHE_MS = 5_000;
const MAX_CACHED = 10_000;
const MAX_TOKEN_CHARACTERS = 512;

export interface Authenticator {
  /** The principal of a token; null when it is unknown, revoked or expired. */
  authenticate(token: string): Promise<KnownPrincipal | null>;
}

/**
 * Looks tokens up by digest. Only tokens that were found are remembered, so that a new one works at once;
 * requests that arrive together share one query.
 */
export function createAuthenticator(db: Db, now: () => number = Date.now): Authenticator {
  const seen = new Map<string, Sighting>();
  const underway = new Map<string, Promise<Sighting | null>>();

  async function lookUp(key: string, digest: Buffer): Promise<Sighting | null> {
    const row = await AccessToken.query(db).findOne({ digest }).whereNull('revoked_at');
    if (row === undefined) return null;
    const sighting = { principal: principalOf(row), expiresAt: row.expires_at?.getTime() ?? Infinity, seenAt: now() };
    seen.delete(key);
    seen.set(key, sighting);
    if (seen.size > MAX_CACHED) seen.delete(seen.keys().next().value ?? '');
    return sighting;
  }

  async function sight(digest: Buffer): Promise<Sighting | null> {
    const key = digest.toString('base64');
    const known = seen.get(key);
    if (known !== undefined && now() - known.seenAt < TOKEN_CACHE_MS) return known;
    seen.delete(key);
    const pending = underway.get(key) ?? lookUp(key, digest).finally(() => underway.delete(key));
    underway.set(key, pending);
    return pending;
  }

  return {
    authenticate: async (token) => {
      if (token === '' || token.length > MAX_TOKEN_CHARACTERS) return null;
      const sighting = await sight(digestSecret(token));
      return sighting !== null && sighting.expiresAt > now() ? sighting.principal : null;
    },
  };
}

function principalOf(row: AccessToken): KnownPrincipal {
  if (row.account_id === null) return { kind: 'operator', tokenId: row.id };
  return { kind: 'account', tokenId: row.id, accountId: row.account_id, scopes: row.scopes.filter(isAccountScope) };
}
