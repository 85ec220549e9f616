/** Deletes old snapshots of definitions that no job uses any more. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';

/** A job that is about to begin may have read the version that has just been replaced. */
const KEEP_REPLACED_MS = 3_600_000;

/**
 * Deletes the snapshots that are neither the current one of a site nor used by an unfinished job, and returns how many.
 * It may run concurrently.
 */
export function pruneSnapshots(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM definition_snapshot WHERE (site_id, version) IN (
         SELECT snapshot.site_id, snapshot.version
         FROM definition_snapshot AS snapshot JOIN site ON site.id = snapshot.site_id
         WHERE snapshot.version < site.definitions_version AND snapshot.created_at < ?
           AND NOT EXISTS (SELECT 1 FROM job
                           WHERE job.site_id = snapshot.site_id AND job.definitions_version = snapshot.version
                           AND job.completed_at IS NULL)
         LIMIT ? FOR UPDATE OF snapshot SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_REPLACED_MS), limit],
    );
    return rowCount;
  });
}
