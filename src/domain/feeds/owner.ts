/** What a feed may do: at most what the token that saved it may do now, and could when it was saved. */
import type { Db } from '../../../db/connection.js';
import { scopesOf } from '../access/roles.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { FeedRow } from './model/feed.js';
import type { SourceSettings } from './model/feed-settings.js';

export type FeedRights = { readonly scopes: readonly string[] } | { readonly refused: string };

/** What has to be allowed. */
type Doing =
  | {
      readonly direction: 'SOURCE';
      readonly options: Pick<SourceSettings['options'], 'requireApproval' | 'validateOnly'>;
    }
  | { readonly direction: 'DESTINATION'; readonly connection: FeedConnection };

type Owned = Pick<FeedRow, 'account_id' | 'saved_by' | 'saved_by_client' | 'scopes'> & Doing;

/** What the feed may do at this moment, or why it may do nothing. */
export async function rightsOf(db: Db, feed: Owned): Promise<FeedRights> {
  const now = await scopesNow(db, feed);
  if ('refused' in now) return now;
  const scopes = feed.scopes.filter((scope) => now.scopes.includes(scope));
  const refused = missingRight(scopes, feed);
  return refused === null ? { scopes } : { refused: `${refused}; somebody who may has to save the feed again` };
}

/** Why the feed may not be run with these scopes; null: it may. */
export function missingRight(scopes: readonly string[], doing: Doing): string | null {
  return doing.direction === 'SOURCE'
    ? missingForImports(scopes, doing.options)
    : missingForExports(scopes, doing.connection);
}

function missingForImports(
  scopes: readonly string[],
  { requireApproval, validateOnly }: Pick<SourceSettings['options'], 'requireApproval' | 'validateOnly'>,
): string | null {
  if (scopes.includes('catalog:write')) return null;
  if (!scopes.includes('catalog:propose')) {
    return 'the token that saved the feed does not have the scope catalog:write, which imports need';
  }
  if (requireApproval === true || validateOnly === true) return null;
  return 'the token that saved the feed has catalog:propose and not catalog:write: options.requireApproval has to be true';
}

function missingForExports(scopes: readonly string[], { kind }: FeedConnection): string | null {
  if (!scopes.includes('catalog:read')) {
    return 'the token that saved the feed does not have the scope catalog:read, which exports need';
  }
  // Who has the address of a published file needs no token.
  if (kind !== 'published' || scopes.includes('feeds:write')) return null;
  return 'the token that saved the feed does not have the scope feeds:write, which publishing needs';
}

/** A token that was granted to a client is short-lived: the client is who saved the feed then. */
async function scopesNow(
  db: Db,
  { account_id, saved_by, saved_by_client: client }: Pick<Owned, 'account_id' | 'saved_by' | 'saved_by_client'>,
): Promise<FeedRights> {
  if (client !== null) {
    const row = await db('oauth_client').where({ id: client, account_id }).first('scopes', 'revoked_at');
    if (row === undefined || row.revoked_at !== null) {
      return { refused: 'the client that saved the feed was revoked; save the feed again with another token' };
    }
    return { scopes: row.scopes };
  }
  const token = await db('access_token')
    .where({ id: saved_by, account_id })
    .first('scopes', 'role', 'revoked_at', db.raw('expires_at <= now() AS "isExpired"'));
  const why =
    token === undefined
      ? 'is no longer there'
      : token.revoked_at !== null
        ? 'was revoked'
        : token.isExpired === true
          ? 'has expired'
          : null;
  if (why === null) return { scopes: scopesOf(token) };
  return { refused: `the token that saved the feed ${why}; save the feed again with another one` };
}
