/** Migrates a database to the current schema: BullMQ's own first, then ours. Safe to run twice, even in parallel. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMigrations } from 'bullmq';
import pg from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { connectDb, KEEP_ALIVE_MS } from './connection.js';
import { watchConnections } from './connection-watch.js';

const MIGRATIONS = join(dirname(fileURLToPath(import.meta.url)), 'migrations');

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
      await db.migrate.latest({ directory: MIGRATIONS, loadExtensions: ['.js'], tableName: 'schema_migration' });
    } finally {
      await db.destroy();
    }
  } finally {
    await client.end();
  }
}
