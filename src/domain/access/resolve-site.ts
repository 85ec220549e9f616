/** Finds the site of an account's stage, and creates it on first use by a request that may write. */
import type { Db } from '../../../db/connection.js';
import { Site } from '../../../db/models/site.js';
import { DomainError } from '../kernel/errors.js';
import { type Actor, recordAudit } from './audit.js';
import { requireStageQuota } from './stage-quota.js';

/** Naming a stage creates it, so a bug in a client could create stages without end. */
const MAX_STAGES = 10_000;

/** Returns the id of a site, which is created if necessary. @throws DomainError unprocessable or busy (too many stages) */
export async function resolveSite(db: Db, accountId: string, stage: string, by?: Actor): Promise<number> {
  const known = await Site.query(db).findOne({ account_id: accountId, stage }).select('id');
  if (known !== undefined) return known.id;
  const stages = await Site.query(db).where({ account_id: accountId }).resultSize();
  await requireStageQuota(db, accountId, stages);
  if (stages >= MAX_STAGES) {
    throw new DomainError(
      'unprocessable',
      'STAGE_LIMIT',
      `an account has at most ${MAX_STAGES} stages; use one that exists`,
    );
  }
  await db.transaction(async (trx) => {
    const made = await trx('site')
      .insert({ account_id: accountId, stage })
      .onConflict(['account_id', 'stage'])
      .ignore()
      .returning('id');
    if (made.length === 0 || by === undefined) return;
    await recordAudit(trx, [{ actor: by, accountId, action: 'STAGE_CREATED', stage, target: `stage/${stage}` }]);
  });
  return (await Site.query(db).findOne({ account_id: accountId, stage }).select('id').throwIfNotFound()).id;
}
