/** Restores the schema, the files and the tables of a backup. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { copyStreamInto } from '../../../db/copy-into.js';
import { appliedMigrations, migrateDatabase, undoMigrations } from '../../../db/migrate.js';
import { quotedName } from '../../../db/sql.js';
import { type Config, ConfigError } from '../../config/config.js';
import { openFileStore } from '../../platform/open-file-store.js';
import { storeFile } from '../../platform/store-file.js';
import { type FileEntry, type Manifest, pathsOf, type readBackup } from './format.js';
import { tablesOf } from './tables.js';

export type Backup = Awaited<ReturnType<typeof readBackup>>;

export const quoted = (name: string) => quotedName(name).text;

/** Gives the database exactly the schema of the backup, without rows. */
export async function makeSchema(
  db: Db,
  url: string,
  queueSchema: string | null,
  migrations: readonly string[],
): Promise<void> {
  await undoMigrations(db);
  // What the queue contains belongs to the rows that are gone. It is made again from those of the backup.
  if (queueSchema !== null) await db.raw('DROP SCHEMA IF EXISTS ?? CASCADE', [queueSchema]);
  await migrateDatabase(url, queueSchema, migrations.at(-1) ?? null);
  const applied = await appliedMigrations(db);
  const missing = applied.find((name) => !migrations.includes(name));
  if (missing !== undefined) {
    throw new ConfigError(`the backup lacks the migration ${missing}, which comes before others of it: it was altered`);
  }
}

export async function restoreFiles(config: Config, files: readonly FileEntry[], folder: string): Promise<void> {
  const store = openFileStore(config.storage);
  for (const { key } of files) {
    await storeFile(store, key, (stream) => pipeline(createReadStream(pathsOf(folder).file(key)), stream));
  }
}

/** @throws ConfigError when the database does not have the rows that the backup says it has */
export async function restoreTables(trx: Knex.Transaction, manifest: Manifest, folder: string): Promise<void> {
  const copied = new Map(manifest.tables.map((table) => [table.name, table]));
  const tables = await tablesOf(trx);
  // The changes of the definitions are in the backup: to restore these is none.
  await trx.raw("SELECT set_config('longshore.unlogged', 'on', true)");
  for (const { name } of tables) {
    const table = copied.get(name);
    if (table === undefined) continue;
    // Rows that a migration has made come from the backup as well.
    await trx.raw(`DELETE FROM ${quoted(name)}`);
    const statement = `COPY ${quoted(name)} (${table.columns.map(quoted).join(', ')}) FROM STDIN`;
    await copyStreamInto(trx, statement, createReadStream(pathsOf(folder).table(name)), createGunzip());
    const { rows } = await trx.raw<{ rows: { count: number }[] }>(`SELECT count(*) AS count FROM ${quoted(name)}`);
    if (rows[0]?.count !== table.rows) {
      throw new ConfigError(`table ${name} has ${rows[0]?.count} rows instead of ${table.rows}; nothing was restored`);
    }
    copied.delete(name);
  }
  if (copied.size > 0) throw new ConfigError(`this release has no table ${[...copied.keys()].join(', ')}`);
  for (const { name, lastValue, isCalled } of manifest.sequences) {
    await trx.raw('SELECT setval(?::regclass, ?::bigint, ?)', [quoted(name), lastValue, isCalled]);
  }
}
