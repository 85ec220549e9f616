/** Migrates a database to the current schema: BullMQ's own first, then ours. Safe to run twice, even in parallel. */

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LATEST_SCHEMA_VERSION, runMigrations } from 'bullmq';
import pg from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { connectDb, type Db, KEEP_ALIVE_MS } from './connection.js';
import { watchConnections } from './connection-watch.js';

const MIGRATIONS = join(dirname(fileURLToPath(import.meta.url)), 'migrations');
const EXTENSION = '.js';
const TABLE = 'schema_migration';

/** SQLSTATE: there is no such table. */
const UNDEFINED_TABLE = '42P01';

/**
 * Migrates the database at `url`.
 * @param queueSchema Postgres schema of the queues; null when they run on Redis
 */
export async function migrateDatabase(url: string, queueSchema: string | null = 'bullmq'): Promise<void> {
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
    if (queueSchema !== null) await runMigrations(client, queueSchema);
    const db = connectDb({ url, poolMax: 2, name: 'longshore-release' });
    try {
      await db.migrate.latest({ directory: MIGRATIONS, loadExtensions: [EXTENSION], tableName: TABLE });
    } finally {
      await db.destroy();
    }
  } finally {
    await client.end();
  }
}

let ours: Promise<readonly string[]> | undefined;

/**
 * The migrations of this build that the database lacks, by name; empty when the schema is current or newer. Reads only.
 * @param queueSchema as in migrateDatabase
 * @throws the error of the database when it does not answer
 */
export async function pendingMigrations(db: Db, queueSchema: string | null): Promise<readonly string[]> {
  ours ??= readdir(MIGRATIONS).then((names) => names.filter((name) => name.endsWith(EXTENSION)).sort());
  const applied = await rowsOf<{ name: string }>(db, `SELECT name FROM ${TABLE}`, []);
  const names = new Set(applied.map(({ name }) => name));
  const pending = (await ours).filter((name) => !names.has(name));
  if (queueSchema === null) return pending;
  const [queue] = await rowsOf<{ version: number | null }>(db, 'SELECT max(version) AS version FROM ??.migration', [
    queueSchema,
  ]);
  return (queue?.version ?? 0) < LATEST_SCHEMA_VERSION ? [...pending, `the queues in schema ${queueSchema}`] : pending;
}

/** The rows of a table that may not exist yet. */
async function rowsOf<Row>(db: Db, statement: string, bindings: readonly string[]): Promise<readonly Row[]> {
  try {
    return (await db.raw<{ rows: Row[] }>(statement, bindings)).rows;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
