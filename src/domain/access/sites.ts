/** Finds the site of an account's stage, and creates it on first use. */
import type { Db } from '../../../db/connection.js';
import { Site } from '../../../db/models/site.js';
import { DomainError } from '../kernel/errors.js';

/** Naming a stage creates it, so a bug in a client could create stages without end. */
const MAX_STAGES = 10_000;
const MAX_CACHED = 10_000;

/**
 * Returns the id of a site, which is created if necessary. @throws DomainError unprocessable (too many stages)
 * @internal exported for tests
 */
export async function resolveSite(db: Db, accountId: string, stage: string): Promise<number> {
  const known = await Site.query(db).findOne({ account_id: accountId, stage }).select('id');
  if (known !== undefined) return known.id;
  if ((await Site.query(db).where({ account_id: accountId }).resultSize()) >= MAX_STAGES) {
    throw new DomainError(
      'unprocessable',
      'STAGE_LIMIT',
      `an account has at most ${MAX_STAGES} stages; use one that exists`,
    );
  }
  await Site.query(db).insert({ account_id: accountId, stage }).onConflict(['account_id', 'stage']).ignore();
  return (await Site.query(db).findOne({ account_id: accountId, stage }).select('id').throwIfNotFound()).id;
}

export interface SiteDirectory {
  resolve(accountId: string, stage: string): Promise<number>;
}

/** `resolveSite` with a cache: the id of a site never changes. */
export function createSiteDirectory(db: Db): SiteDirectory {
  const known = new Map<string, number>();
  return {
    resolve: async (accountId, stage) => {
      const key = `${accountId} ${stage}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const id = await resolveSite(db, accountId, stage);
      if (known.size >= MAX_CACHED) known.delete(known.keys().next().value ?? '');
      known.set(key, id);
      return id;
    },
  };
}
