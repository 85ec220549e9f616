/** Deletes the records of items that were deleted long ago. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';

/** Deletes the records of items that were deleted so long ago that no earlier job is kept. @returns how many */
export function pruneDeletedItems(db: Db, retentionDays: number): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM deleted_item WHERE (site_id, sku) IN (
         SELECT site_id, sku FROM deleted_item WHERE deleted_at < now() - ? * interval '1 day'
         LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [retentionDays, limit],
    );
    return rowCount;
  });
}
