/** The partitions of the change log, by month: later ones are created long before they are needed, old ones are dropped. */
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';

/** How many months are kept ready: the log goes on while no maintenance runs. */
const MONTHS_AHEAD = 3;
/** In the order in which they are dropped: without its set, no change is read. */
const TABLES = ['change_set', 'definition_change', 'item_change'] as const;
const PARTITION = /^(change_set|definition_change|item_change)_(\d{4})_(\d{2})$/;
/** Who asks for a table lock keeps all others waiting that come later: it is asked for again in the next round. */
const WAIT_MS = 2_000;

/**
 * Creates the partitions from one month to some months ahead that are missing. Readers and writers of the others are not
 * locked out.
 * @param from the first month; default: the present one
 */
export async function createPartitions(db: Db, now: Date, from = now): Promise<void> {
  const existing = new Set((await partitionsOf(db)).map(({ name }) => name));
  for (let month = startOf(from); month <= startOf(now, MONTHS_AHEAD); month = startOf(month, 1)) {
    const bounds = `FROM ('${month.toISOString()}') TO ('${startOf(month, 1).toISOString()}')`;
    for (const table of TABLES) {
      const name = `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
      if (!existing.has(name)) await createPartition(db, table, name, bounds);
    }
  }
}

async function createPartition(db: Db, table: string, name: string, bounds: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`SELECT set_config('lock_timeout', '${WAIT_MS}ms', true)`);
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [ADVISORY_LOCKS.changePartitions]);
    // The release and maintenance may do this at the same time.
    if ((await partitionsOf(trx)).some((existing) => existing.name === name)) return;
    // Attaching a table takes a weaker lock of its parent than creating it as a partition.
    await trx.raw(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`);
    await trx.raw(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES ${bounds}`);
  });
}

/**
 * Drops the partitions whose newest changes are older than so many days. It waits for the transactions that use the log,
 * and keeps nobody waiting.
 * @returns their names
 */
export async function dropPartitions(db: Db, now: Date, retentionDays: number): Promise<string[]> {
  const oldest = new Date(now.getTime() - retentionDays * 86_400_000);
  const partitions = await partitionsOf(db);
  const old = partitions.filter(({ month }) => startOf(month, 1) <= oldest);
  for (const { name, table, isDetaching } of old) {
    if (table === 'change_set') await notePruned(db, name);
    // Concurrently, because to drop a partition directly locks out the readers and writers of all of them.
    if (isDetaching) await db.raw(`ALTER TABLE ${table} DETACH PARTITION ${name} FINALIZE`);
    else await db.raw(`ALTER TABLE ${table} DETACH PARTITION ${name} CONCURRENTLY`);
    await db.raw(`DROP TABLE ${name}`);
  }
  const left = await detachedTables(db);
  for (const name of left) await db.raw(`DROP TABLE ${name}`);
  return [...old.map(({ name }) => name), ...left];
}

/** The beginning of the oldest month whose changes are kept. */
export async function oldestKept(db: Db): Promise<Date> {
  const [oldest] = await partitionsOf(db);
  return oldest?.month ?? new Date(0);
}

/**
 * Notes the last position of each site that is about to be dropped, and when it was given: a cursor or a time before it has
 * missed something. Positions are given in the order of commits, so that some of a later month may be lower.
 */
async function notePruned(db: Db, partition: string): Promise<void> {
  await db.raw(
    `UPDATE change_feed AS feed SET pruned_position = last.position, pruned_numbered_at = last.numbered_at
     FROM change_feed AS own CROSS JOIN LATERAL (
       SELECT position, numbered_at FROM ${partition} AS dropped WHERE dropped.site_id = own.site_id AND position IS NOT NULL
       ORDER BY position DESC LIMIT 1) AS last
     WHERE feed.site_id = own.site_id AND feed.pruned_position < last.position`,
  );
}

/** The beginning of the month of a time, or of a month after it. */
function startOf(time: Date, ahead = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + ahead, 1));
}

interface Partition {
  readonly name: string;
  readonly table: string;
  readonly month: Date;
  /** Whether somebody began to detach it, and was interrupted. */
  readonly isDetaching: boolean;
}

/** The oldest first; of a month in the order of TABLES. */
async function partitionsOf(db: Db): Promise<Partition[]> {
  const { rows } = await db.raw<{ rows: { name: string; isDetaching: boolean }[] }>(
    `SELECT child.relname AS name, inhdetachpending AS "isDetaching"
     FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent = ANY (?::regclass[])`,
    [[...TABLES]],
  );
  const partitions = rows.flatMap(({ name, isDetaching }): Partition[] => {
    const [, table, year, month] = PARTITION.exec(name) ?? [];
    if (table === undefined) return [];
    return [{ name, table, month: new Date(Date.UTC(Number(year), Number(month) - 1, 1)), isDetaching }];
  });
  const order = ({ month, table }: Partition) => `${month.toISOString()} ${table}`;
  return partitions.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** Partitions that were detached and not dropped, because the process ended in between. */
async function detachedTables(db: Db): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition
       AND relname ~ '^(change_set|definition_change|item_change)_[0-9]{4}_[0-9]{2}$'
     ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}
