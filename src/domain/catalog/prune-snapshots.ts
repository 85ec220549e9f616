/** Forgets the definitions of the past that no job goes by any more. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';

/** A job that is about to begin may have read the version that has just been replaced. */
const KEEP_REPLACED_MS = 3_600_000;

/**
 * Deletes the snapshots that are neither a site's present one nor one that a job under way goes by, and returns how many.
 * Safe to run twice at once.
 */
export function pruneSnapshots(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM definition_snapshot WHERE (site_id, version) IN (
         SELECT kept.site_id, kept.version FROM definition_snapshot AS kept JOIN site ON site.id = kept.site_id
         WHERE kept.version < site.definitions_version AND kept.created_at < ?
           AND NOT EXISTS (SELECT 1 FROM job WHERE job.site_id = kept.site_id AND job.definitions_version = kept.version
                           AND job.completed_at IS NULL)
         LIMIT ? FOR UPDATE OF kept SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_REPLACED_MS), limit],
    );
    return rowCount;
  });
}
