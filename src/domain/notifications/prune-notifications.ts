/** Forgets what was sent long ago. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { firstIdOf } from '../kernel/identifier.js';

/**
 * Deletes notifications, and the ties between documents and events, from before an instant (at least
 * 24 h ago, or duplicates would be taken). Safe to run twice at once.
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
