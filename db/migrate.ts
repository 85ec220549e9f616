/** Migrates a database to the current schema: BullMQ's own first, then ours. Safe to run twice, even in parallel. */

import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import pg from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { connectDb, type Db, KEEP_ALIVE_MS } from './connection.js';
import { watchConnections } from './connection-watch.js';
import { isLockedOut } from './with-retries.js';

const MIGRATIONS = fileURLToPath(new URL('../db/migrations', import.meta.url));
const EXTENSION = '.js';
const TABLE = 'schema_migration';

/** SQLSTATE: there is no such table. */
const UNDEFINED_TABLE = '42P01';

/**
 * Migrates the database at `url`.
 * @param queueSchema Postgres schema of the queues; null when they run on Redis
 * @param upTo the last migration of ours to run; null: all
 */
export async function migrateDatabase(
  url: string,
  queueSchema: string | null = 'bullmq',
  upTo: string | null = null,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'longshore-release',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  await client.connect();
  try {
    await watchConnections({ url }).add(client);
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.release]);
    await refuseNewer(url);
    if (queueSchema !== null) await runMigrations(client, queueSchema);
    await migrateOurs(url, upTo);
  } finally {
    await client.end();
  }
}

/** How long a migration waits for a lock: everybody who needs the table waits behind it. Doubled with each try. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 8_000;
/** In between, those who waited behind the migration go on. */
const GIVE_WAY_MS = 1_000;
const GIVE_UP_MS = 20 * 60_000;

/**
 * Runs our migrations. One that does not get a lock in time, because a long transaction of the previous release holds
 * it, is rolled back and tried again: otherwise all requests would wait for that transaction.
 */
async function migrateOurs(url: string, upTo: string | null): Promise<void> {
  const endsBy = performance.now() + GIVE_UP_MS;
  for (let lockWaitMs = FIRST_WAIT_MS; ; lockWaitMs = Math.min(2 * lockWaitMs, LONGEST_WAIT_MS)) {
    const db = connectDb({ url, poolMax: 2, name: 'longshore-release', lockWaitMs });
    try {
      const options = { directory: MIGRATIONS, loadExtensions: [EXTENSION], tableName: TABLE };
      if (upTo === null) await db.migrate.latest(options);
      else {
        const wanted = (await knownMigrations()).filter((name) => name <= upTo);
        const applied = new Set(await appliedMigrations(db));
        for (const name of wanted) if (!applied.has(name)) await db.migrate.up({ ...options, name });
      }
      return;
    } catch (error) {
      if (!isLockedOut(error) || performance.now() > endsBy) throw error;
    } finally {
      await db.destroy();
    }
    await delay(GIVE_WAY_MS);
  }
}

/** @throws Error when the database was migrated by a newer release: there is nothing that this one could do */
async function refuseNewer(url: string): Promise<void> {
  const db = connectDb({ url, poolMax: 1, name: 'longshore-release' });
  const unknown = await unknownMigrations(db).finally(() => db.destroy());
  if (unknown.length === 0) return;
  const count = unknown.length === 1 ? '1 migration' : `${unknown.length} migrations`;
  throw new Error(
    `the database is newer than this release: it has ${count} that this release does not know, the last one ${unknown.at(-1)}. ` +
      'Nothing was changed. Start the newer release, or restore a backup from before the upgrade with this one',
  );
}

/** Undoes all migrations of ours: nothing of what the tables contain is left. */
export async function undoMigrations(db: Db): Promise<void> {
  await db.migrate.rollback({ directory: MIGRATIONS, loadExtensions: [EXTENSION], tableName: TABLE }, true);
}

let ours: Promise<readonly string[]> | undefined;

/** The names of the migrations of this build, in their order. */
export function knownMigrations(): Promise<readonly string[]> {
  ours ??= readdir(MIGRATIONS).then((names) => names.filter((name) => name.endsWith(EXTENSION)).sort());
  return ours;
}

/** The names of the migrations that a database has, in their order; none when it was never migrated. */
export async function appliedMigrations(db: Db): Promise<readonly string[]> {
  const applied = await rowsOf<{ name: string }>(db, `SELECT name FROM ${TABLE}`, []);
  return applied.map(({ name }) => name).sort();
}

/** The migrations that a database has and this build does not know, in their order: those of newer releases. */
export async function unknownMigrations(db: Db): Promise<readonly string[]> {
  const [applied, known] = await Promise.all([appliedMigrations(db), knownMigrations()]);
  return applied.filter((name) => !known.includes(name));
}

/**
 * The migrations of this build that the database lacks, by name; empty when the schema is current or newer. Reads only.
 * @param queueSchema as in migrateDatabase
 * @throws the error of the database when it does not answer
 */
export async function pendingMigrations(db: Db, queueSchema: string | null): Promise<readonly string[]> {
  const names = new Set(await appliedMigrations(db));
  const pending = (await knownMigrations()).filter((name) => !names.has(name));
  if (queueSchema === null) return pending;
  const [queue] = await rowsOf<{ version: number | null }>(db, 'SELECT max(version) AS version FROM ??.migration', [
    queueSchema,
  ]);
  return (queue?.version ?? 0) < LATEST_SCHEMA_VERSION ? [...pending, `the queues in schema ${queueSchema}`] : pending;
}

/** The rows of a table that may not exist yet. */
export async function rowsOf<Row>(db: Db, statement: string, bindings: readonly string[]): Promise<readonly Row[]> {
  try {
    return (await db.raw<{ rows: Row[] }>(statement, bindings)).rows;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
