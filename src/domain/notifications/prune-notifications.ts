/** Prunes old notifications. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { firstIdOf } from '../kernel/identifier.js';

/**
 * Deletes notifications, and the links between documents and events, that are older than `before`. That time must be at
 * least 24 h ago, or duplicates would be accepted. Two processes may run it at the same time.
 */
export async function pruneNotifications(db: Db, before: Date): Promise<void> {
  await inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM notification WHERE id IN (
         SELECT id FROM notification WHERE created_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return rowCount;
  });
  await inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM document_event WHERE event_id IN (
         SELECT event_id FROM document_event WHERE event_id < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [firstIdOf(before), limit],
    );
    return rowCount;
  });
}
