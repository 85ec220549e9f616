/** `npm run admin -- restore`: checks a backup and puts it into an empty database and file store. */
import { hostname } from 'node:os';
import { connectDb, type Db } from '../../db/connection.js';
import { seenProcesses } from '../../db/heartbeats.js';
import { appliedMigrations, knownMigrations, migrateDatabase, unknownMigrations } from '../../db/migrate.js';
import { loadAdminConfig } from '../config/admin-config.js';
import { type Config, ConfigError } from '../config/config.js';
import { recordAudit } from '../domain/access/audit.js';
import { expireLoginCodes } from '../domain/access/login-codes.js';
import { unsealSecret } from '../domain/access/sealed-secret.js';
import { endAllSessions } from '../domain/access/sessions.js';
import { forgetCursors } from '../domain/changes/feed-cursor.js';
import { createPartitions } from '../domain/changes/partitions.js';
import { pauseRestoredFeeds } from '../domain/feeds/restored-feeds.js';
import { counted } from '../domain/kernel/counted.js';
import { lockDataDir, openDataDir } from '../launcher/data-dir.js';
import { startEmbeddedPostgres } from '../launcher/embedded-postgres.js';
import { type Manifest, readBackup, SEALED_PLACE } from './backup/format.js';
import { type Backup, makeSchema, quoted, restoreFiles, restoreTables } from './backup/restore-contents.js';
import { tablesOf } from './backup/tables.js';

interface RestoreOptions {
  readonly folder: string;
  /** Whether to delete what the database contains. */
  readonly replaces: boolean;
}

interface Installation {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of an embedded system. */
  readonly dataDir: string;
}

interface RestoreSummary {
  readonly release: string;
  readonly createdAt: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  /** What a person has to know or do. */
  readonly note?: string;
}

/**
 * Without DATABASE_URL, restores to the embedded database in DATA_DIR, which is started for it.
 * @throws ConfigError or LaunchError that says why nothing was restored, and what to do
 */
export async function restore(installation: Installation, options: RestoreOptions): Promise<RestoreSummary> {
  const { environment, dataDir } = installation;
  const backup = await readBackup(options.folder);
  const known = await knownMigrations();
  const unknown = backup.manifest.migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `the backup was made by a newer release (${backup.manifest.release}, migration ${unknown[0]}): install that release first`,
    );
  }
  const databaseUrl = environment.DATABASE_URL?.trim();
  if (databaseUrl) return restoreTo(loadAdminConfig(environment, databaseUrl), backup, options);
  const folder = openDataDir(dataDir);
  const lock = lockDataDir(folder, 'launcher.lock');
  try {
    // The key is checked before anything is created.
    loadAdminConfig(environment, 'postgres://embedded/longshore');
    const postgres = await startEmbeddedPostgres({ dataDir: folder, mayMove: environment.DATA_DIR === undefined });
    try {
      await postgres.createDatabase('longshore');
      return await restoreTo(loadAdminConfig(environment, postgres.databaseUrl('longshore')), backup, options);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}

async function restoreTo(
  config: Config,
  { manifest, files }: Backup,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const db = connectDb({ url: config.databaseUrl, poolMax: 2, name: 'longshore-restore' });
  const queueSchema = config.redisUrl === undefined ? config.queuePrefix : null;
  try {
    await requireStopped(db);
    await requireKnown(db);
    if (!options.replaces) await requireEmpty(db);
    await makeSchema(db, config.databaseUrl, queueSchema, manifest.migrations);
    await restoreFiles(config, files, options.folder);
    const { changesSince } = manifest;
    if (changesSince !== undefined) await createPartitions(db, new Date(), new Date(changesSince));
    await db.transaction((trx) => restoreTables(trx, manifest, options.folder));
    await migrateDatabase(config.databaseUrl, queueSchema);
    await forgetCursors(db);
    await endAllSessions(db);
    await expireLoginCodes(db);
    const paused = await pauseRestoredFeeds(db);
    await db.raw('ANALYZE');
    const actor = { kind: 'admin', id: hostname(), address: null, requestId: null } as const;
    const target = `backup/${manifest.createdAt}`;
    await recordAudit(db, [{ actor, accountId: null, action: 'BACKUP_RESTORED', target }]);
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    const { release, createdAt, tables } = manifest;
    const note = noteOf(config, manifest, paused);
    return { release, createdAt, tables: tables.length, rows, files: files.length, ...(note === '' ? {} : { note }) };
  } finally {
    await db.destroy();
  }
}

/** @throws ConfigError when processes use the database */
async function requireStopped(db: Db): Promise<void> {
  if ((await appliedMigrations(db)).length === 0) return;
  const [living] = (await seenProcesses(db).catch(() => [])).filter(({ isLiving }) => isLiving);
  if (living === undefined) return;
  throw new ConfigError(
    `a process of Longshore uses this database (${living.groups}, process ${living.pid} on ${living.host}): stop all of them first`,
  );
}

/** @throws ConfigError when the database contains rows */
async function requireEmpty(db: Db): Promise<void> {
  if ((await appliedMigrations(db)).length === 0) return;
  for (const { name } of await tablesOf(db)) {
    const { rows } = await db.raw(`SELECT 1 FROM ${quoted(name)} LIMIT 1`);
    if (rows.length === 0) continue;
    throw new ConfigError(
      `the database is not empty: table ${name} has rows. Restore to a new database, or add --replace to delete all that this one contains`,
    );
  }
}

/** @throws ConfigError when the database has migrations that this release could not undo */
async function requireKnown(db: Db): Promise<void> {
  const [newer] = await unknownMigrations(db);
  if (newer === undefined) return;
  throw new ConfigError(`the database was used by a newer release (migration ${newer}): restore to a new database`);
}

function noteOf(config: Config, manifest: Manifest, pausedFeeds: number): string {
  const notes: string[] = [];
  try {
    unsealSecret(config.secretsKeys, SEALED_PLACE, manifest.sealed);
  } catch {
    notes.push(
      'SECRETS_KEY is not that of the backup: add the old key to its end (or copy secrets.json), otherwise webhooks cannot sign and feeds not log in',
    );
  }
  if (manifest.missing.length > 0)
    notes.push(
      `${counted(manifest.missing.length, 'file')} ${manifest.missing.length === 1 ? 'was' : 'were'} missing when the backup was made`,
    );
  if (pausedFeeds > 0)
    notes.push(
      `${counted(pausedFeeds, 'feed')} ${pausedFeeds === 1 ? 'was' : 'were'} paused, because this may be a copy beside the system that takes their files: set them to ACTIVE when no other one does`,
    );
  if (config.redisUrl !== undefined)
    notes.push('the queue in Redis was left as it is: workers refuse what is outdated in it');
  return notes.join('; ');
}
