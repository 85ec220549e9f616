/** Deletes events whose retention time is over. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';

/** The number of rows that one statement deletes, so that no lock is held for long. */
const PRUNE_BATCH = 5_000;
type LogTable = 'delivery_attempt' | 'delivery' | 'event';

/**
 * Deletes events that are older than the retention time, with their deliveries. Ids begin with the second of their
 * creation, so that old rows are a range of the key.
 */
export async function pruneEvents(db: Db, retentionDays: number): Promise<void> {
  const oldest = Math.floor(Date.now() / 1000) - retentionDays * 86_400;
  const before = oldest.toString(16).padStart(8, '0');
  // Attempts are deleted before their delivery, and deliveries before their event.
  for (const table of ['delivery_attempt', 'delivery', 'event'] as const) await pruneTable(db, table, before);
  // No attempt is older than its event, and none names a version that had ended before it.
  await db.raw('DELETE FROM former_definition WHERE ended_at < to_timestamp(?)', [oldest]);
}

async function pruneTable(db: Db, table: LogTable, before: string): Promise<void> {
  const key = table === 'delivery_attempt' ? 'delivery_id' : 'id';
  const deleteBatch = async (limit: number): Promise<number> => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      // The oldest row is asked for first: where it stays, the rows are not looked at.
      `DELETE FROM :table: WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM :table: WHERE :key: < :before COLLATE "C"
           AND (SELECT :key: FROM :table: ORDER BY :key: LIMIT 1) < :before COLLATE "C"
         ORDER BY :key: LIMIT :limit))`,
      { table, key, before, limit },
    );
    return rowCount;
  };
  await inBatches(deleteBatch, PRUNE_BATCH);
}
