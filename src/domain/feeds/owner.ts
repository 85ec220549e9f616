/** What a feed may do: at most what the token that saved it may do now, and could when it was saved. */
import type { Db } from '../../../db/connection.js';
import { scopesOf } from '../access/roles.js';
import type { FeedRow } from './model/feed.js';

export type FeedRights = { readonly scopes: readonly string[] } | { readonly refused: string };

type Owned = Pick<FeedRow, 'account_id' | 'saved_by' | 'saved_by_client' | 'scopes' | 'options'>;

/** What the feed may do at this moment, or why it may do nothing. */
export async function rightsOf(db: Db, feed: Owned): Promise<FeedRights> {
  const now = await scopesNow(db, feed);
  if ('refused' in now) return now;
  const scopes = feed.scopes.filter((scope) => now.scopes.includes(scope));
  const refused = missingRight(scopes, feed.options);
  return refused === null ? { scopes } : { refused: `${refused}; somebody who may has to save the feed again` };
}

/** Why files may not be imported with these scopes and options; null: they may. */
export function missingRight(
  scopes: readonly string[],
  { requireApproval, validateOnly }: Pick<FeedRow['options'], 'requireApproval' | 'validateOnly'>,
): string | null {
  if (scopes.includes('catalog:write')) return null;
  if (!scopes.includes('catalog:propose')) {
    return 'the token that saved the feed does not have the scope catalog:write, which imports need';
  }
  if (requireApproval === true || validateOnly === true) return null;
  return 'the token that saved the feed has catalog:propose and not catalog:write: options.requireApproval has to be true';
}

/** A token that was granted to a client is short-lived: the client is who saved the feed then. */
async function scopesNow(db: Db, { account_id, saved_by, saved_by_client: client }: Owned): Promise<FeedRights> {
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
