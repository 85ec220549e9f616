/** Forgets what was sent long ago. */
import type { Db } from '../../../db/connection.js';
import { firstIdOf } from '../kernel/identifier.js';

/** Rows deleted a statement, so that no lock is held for long. */
const BATCH = 5_000;

/**
 * Deletes a batch of notifications, and of the ties between documents and events, from before an instant (at least
 * 24 h ago, or duplicates would be taken). Safe to run twice at once.
 */
export async function pruneNotifications(db: Db, before: Date): Promise<void> {
  await db.raw(
    `DELETE FROM notification WHERE id IN (
       SELECT id FROM notification WHERE created_at < ? LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [before],
  );
  await db.raw(
    `DELETE FROM document_event WHERE event_id IN (
       SELECT event_id FROM document_event WHERE event_id < ? LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [firstIdOf(before)],
  );
}
