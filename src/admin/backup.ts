/** `npm run admin -- backup`: copies the database and the files that it names, as of one moment, while the system works. */
import { hostname } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { connectDb, type Db } from '../../db/connection.js';
import { copyOut, inSnapshot, type Snapshot } from '../../db/copy-out.js';
import { appliedMigrations } from '../../db/migrate.js';
import { joinSql, quotedName, sql } from '../../db/sql.js';
import { type Config, ConfigError } from '../config/config.js';
import { recordAudit } from '../domain/access/audit.js';
import { sealSecret } from '../domain/access/sealed-secret.js';
import { oldestKept } from '../domain/changes/partitions.js';
import { spoolKey } from '../domain/imports/model/spool-key.js';
import { openFileStore } from '../platform/open-file-store.js';
import { VERSION } from '../platform/version.js';
import { CopiedFiles, type NamedFile } from './backup/copied-files.js';
import { Digest, type Manifest, pathsOf, SEALED_PLACE } from './backup/format.js';
import { causeOf, prepare, writeDurably, writeTo } from './backup/private-files.js';
import { sequencesOf, tablesOf } from './backup/tables.js';

interface BackupSummary {
  readonly folder: string;
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Files that the database names and the store does not have, neither now nor a moment before. */
  readonly missingFiles?: number;
}
/** How often a new snapshot is taken because files that the last one names were deleted meanwhile. */
const MOST_SNAPSHOTS = 10;

/**
 * Files are copied before the snapshot of the database, and in it only those that were new. If one of these is gone, as
 * the spool of a job that has just ended, another snapshot is taken, which does not name it. So each file that the
 * copied rows name is in the backup, although nothing is kept from being deleted.
 * @param folder created if it is missing
 * @throws ConfigError when the folder is not empty, or the database was never migrated
 */
export async function backUp(config: Config, folder: string): Promise<BackupSummary> {
  const db = connectDb({ url: config.databaseUrl, poolMax: 2, name: 'longshore-backup' });
  const store = openFileStore(config.storage);
  try {
    const migrations = await appliedMigrations(db);
    if (migrations.length === 0) throw new ConfigError('the database has no tables yet; run npm run release first');
    await prepare(folder);
    const files = new CopiedFiles(store, folder);
    await files.copy(await namedFiles(db));
    // Before the snapshot: a month that is dropped meanwhile is no harm.
    const since = migrations.some((name) => name.includes('definition-changes')) ? await oldestKept(db) : undefined;
    const { tables, sequences, missing } = await copyConsistently(db, files, folder);
    const total = await files.writeList();
    const manifest: Manifest = {
      format: 1,
      release: VERSION,
      createdAt: new Date().toISOString(),
      migrations: [...migrations],
      tables,
      sequences,
      ...(since === undefined ? {} : { changesSince: since.toISOString() }),
      files: total,
      missing: [...missing],
      sealed: sealSecret(config.secretsKeys, SEALED_PLACE, SEALED_PLACE),
    };
    if ((await appliedMigrations(db)).length !== migrations.length) {
      throw new ConfigError('the database was migrated meanwhile; make the backup again, in an empty folder');
    }
    await writeDurably(pathsOf(folder).manifest, `${JSON.stringify(manifest, null, 2)}\n`);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const actor = { kind: 'admin', id: hostname(), address: null, requestId: null } as const;
    await recordAudit(db, [{ actor, accountId: null, action: 'BACKUP_CREATED', target: `backup/${rows}` }]);
    const bytes = tables.reduce((sum, table) => sum + table.bytes, total.ofAll);
    const missingFiles = missing.length === 0 ? {} : { missingFiles: missing.length };
    return { folder, tables: tables.length, rows, files: total.count, bytes, ...missingFiles };
  } catch (error) {
    throw causeOf(error, folder);
  } finally {
    await db.destroy();
  }
}

/** The files that the database names: uploads, exports and error files, and the spools of imports. */
async function namedFiles(db: Db): Promise<readonly NamedFile[]> {
  const { rows: stored } = await db.raw<{ rows: NamedFile[] }>(
    'SELECT storage_key AS key, true AS required FROM file WHERE storage_key IS NOT NULL',
  );
  const { rows: jobs } = await db.raw<{ rows: { id: string; required: boolean }[] }>(
    "SELECT id, completed_at IS NULL AS required FROM job WHERE plan->>'source' = 'spool'",
  );
  return [...stored, ...jobs.map(({ id, required }) => ({ key: spoolKey(id), required }))];
}

type Copied = Pick<Manifest, 'tables' | 'sequences' | 'missing'>;

async function copyConsistently(db: Db, files: CopiedFiles, folder: string): Promise<Copied> {
  let before: readonly string[] = [];
  for (let round = 1; ; round++) {
    const copied = await inSnapshot(db, async (snapshot): Promise<Copied | null> => {
      const named = await namedFiles(snapshot.trx);
      const gone = await files.copy(named);
      // What two snapshots name and the store does not have was lost before, or is being deleted.
      const isNew = gone.some((key) => !before.includes(key));
      before = gone;
      if (isNew && round < MOST_SNAPSHOTS) return null;
      await files.keepOnly(named);
      return { ...(await copyTables(db, snapshot, folder)), missing: [...gone] };
    });
    if (copied !== null) return copied;
  }
}

async function copyTables(db: Db, snapshot: Snapshot, folder: string): Promise<Pick<Copied, 'tables' | 'sequences'>> {
  const tables: Manifest['tables'] = [];
  const never = new AbortController().signal;
  for (const { name, columns } of await tablesOf(snapshot.trx)) {
    const query = sql`SELECT ${joinSql(columns.map(quotedName), ', ')} FROM ${quotedName(name)}`;
    const digest = new Digest();
    const rows = await copyOut(snapshot, db, query, 'text', never, (stream) =>
      pipeline(stream, createGzip({ level: 1 }), digest, writeTo(pathsOf(folder).table(name))),
    );
    tables.push({ name, columns: [...columns], rows, ...digest.result() });
  }
  const sequences: Manifest['sequences'] = [];
  // Sequences are not part of a snapshot: read after it, they are ahead of all its rows.
  for (const name of await sequencesOf(snapshot.trx)) {
    const { rows } = await snapshot.trx.raw<{ rows: { value: string; called: boolean }[] }>(
      `SELECT last_value::text AS value, is_called AS called FROM ${quotedName(name).text}`,
    );
    for (const { value, called } of rows) sequences.push({ name, lastValue: value, isCalled: called });
  }
  return { tables, sequences };
}
