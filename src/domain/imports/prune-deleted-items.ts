/** Deletes the records of items that were deleted long ago. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';

/** Deletes the records of items that were deleted so long ago that no earlier job is kept. @returns how many */
export function pruneDeletedItems(db: Db, retentionDays: number): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      // In the order of the index: without it, the table would be read as a whole each minute.
      `DELETE FROM deleted_item WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM deleted_item WHERE deleted_at < now() - ? * interval '1 day'
         ORDER BY deleted_at LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [retentionDays, limit],
    );
    return rowCount;
  });
}
