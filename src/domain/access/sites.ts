/** Remembers the sites of accounts' stages, so that most requests need no query for theirs. */
import type { Db } from '../../../db/connection.js';
import { Site } from '../../../db/models/site.js';
import type { Actor } from './audit.js';
import { resolveSite } from './resolve-site.js';

const MAX_CACHED = 10_000;

/** The id of no site: a stage that was never written to reads as one that is empty. */
export const NO_SITE = 0;

export interface SiteDirectory {
  /**
   * The id of the stage's site, which is created if necessary.
   * @param by who uses the stage first creates it
   * @throws DomainError unprocessable (too many stages)
   */
  resolve(accountId: string, stage: string, by: Actor): Promise<number>;
  /** The id of the stage's site; if there is none, an id under which nothing is found. */
  find(accountId: string, stage: string): Promise<number>;
}

/** `resolveSite` with a cache: the id of a site never changes. */
export function createSiteDirectory(db: Db): SiteDirectory {
  const known = new Map<string, number>();

  function remember(key: string, id: number): number {
    if (known.size >= MAX_CACHED) known.delete(known.keys().next().value ?? '');
    known.set(key, id);
    return id;
  }

  return {
    resolve: async (accountId, stage, by) => {
      const key = `${accountId} ${stage}`;
      return known.get(key) ?? remember(key, await resolveSite(db, accountId, stage, by));
    },
    find: async (accountId, stage) => {
      const key = `${accountId} ${stage}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const site = await Site.query(db).findOne({ account_id: accountId, stage }).select('id');
      return site === undefined ? NO_SITE : remember(key, site.id);
    },
  };
}
