/** Forgets events and what became of them once they have been kept for long enough. */
import type { Db } from '../../../../db/connection.js';
import { inBatches } from '../../../../db/in-batches.js';

/** Rows a statement: there are many more of these than of anything else. */
const BATCH = 5_000;

/** One pass. Ids begin with their second, so that age is a range of the key. */
export async function pruneEvents(db: Db, retentionDays: number): Promise<void> {
  const oldest = Math.floor(Date.now() / 1000) - retentionDays * 86_400;
  const before = oldest.toString(16).padStart(8, '0');
  // In this order: an event is there as long as a delivery of it is, a delivery as long as its attempts are.
  for (const table of ['delivery_attempt', 'delivery', 'event'] as const) await pruneTable(db, table, before);
}

async function pruneTable(db: Db, table: 'delivery_attempt' | 'delivery' | 'event', before: string): Promise<void> {
  const key = table === 'delivery_attempt' ? 'delivery_id' : 'id';
  const deleteBatch = async (limit: number): Promise<number> => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      'DELETE FROM ?? WHERE ctid = ANY(ARRAY(SELECT ctid FROM ?? WHERE ?? < ? COLLATE "C" ORDER BY ?? LIMIT ?))',
      [table, table, key, before, key, limit],
    );
    return rowCount;
  };
  await inBatches(deleteBatch, BATCH);
}
