/** The partitions of the change log, by month: later ones are created long before they are needed, old ones are dropped. */
import type { Db } from '../../../db/connection.js';

/** How many months are kept ready: the log goes on while no maintenance runs. */
const MONTHS_AHEAD = 12;
const TABLES = ['change_set', 'item_change'] as const;

/** Creates the partitions of the next months that are missing. Readers and writers of the others are not locked out. */
export async function createPartitions(db: Db, now: Date): Promise<void> {
  const existing = await partitionsOf(db);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const from = monthAt(now, ahead);
    const to = monthAt(now, ahead + 1);
    for (const table of TABLES) {
      const name = `${table}_${from.toISOString().slice(0, 7).replace('-', '_')}`;
      if (existing.has(name)) continue;
      // Attaching a table takes a weaker lock of its parent than creating it as a partition.
      await db.transaction(async (trx) => {
        await trx.raw(
          `CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
        );
        await trx.raw(
          `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
        );
      });
    }
  }
}

/**
 * Drops the partitions whose newest changes are older than so many days.
 * @returns their names
 */
export async function dropPartitions(db: Db, now: Date, retentionDays: number): Promise<string[]> {
  const oldest = new Date(now.getTime() - retentionDays * 86_400_000).toISOString();
  const dropped: string[] = [];
  for (const name of [...(await partitionsOf(db))].sort()) {
    const [, table = '', year = '', month = ''] = /^(change_set|item_change)_(\d{4})_(\d{2})$/.exec(name) ?? [];
    if (table === '') continue;
    const end = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString();
    if (end > oldest) continue;
    // Concurrently, because to drop a partition directly locks out the readers and writers of all of them.
    await db.raw(`ALTER TABLE ${table} DETACH PARTITION ${name} CONCURRENTLY`);
    await db.raw(`DROP TABLE ${name}`);
    dropped.push(name);
  }
  return dropped;
}

/** Since when all changes are kept. */
export async function changesKeptSince(db: Db): Promise<Date> {
  const [oldest = ''] = [...(await partitionsOf(db))].filter((name) => name.startsWith('item_change_')).sort();
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(oldest) ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, 1));
}

function monthAt(now: Date, ahead: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
}

async function partitionsOf(db: Db): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT child.relname AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent IN ('change_set'::regclass, 'item_change'::regclass)`,
  );
  return new Set(rows.map(({ name }) => name));
}
