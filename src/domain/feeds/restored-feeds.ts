/** What becomes of feeds in a database that was restored from a backup. */
import type { Db } from '../../../db/connection.js';

export const RESTORED =
  'restored from a backup: this system may be a copy beside the one that takes these files, or have forgotten some that were taken since; set its state to ACTIVE when no other one takes them';

/** A person decides which of two systems takes the files. @returns how many were paused */
export async function pauseRestoredFeeds(db: Db): Promise<number> {
  return db('feed')
    .where({ state: 'ACTIVE' })
    .update({
      ...{ state: 'PAUSED', pause_reason: RESTORED, next_run_at: null, asked_for: null, look_until: null },
      updated_at: db.fn.now(),
    });
}
