/** DATA_DIR: the folder that holds what an installation must keep. Made when missing, used by one launcher at a time. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasCode, LaunchError } from './launch-error.js';
import { processIdentity } from './process-table.js';

/**
 * Makes the folder if need be.
 * @returns its real path
 * @throws LaunchError when it cannot be made or written to
 */
export function openDataDir(path: string): string {
  try {
    const first = makeFolders(resolve(path));
    if (first !== undefined && process.getuid?.() === 0) openToOthers(first, resolve(path));
    accessSync(path, constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) {
      throw new LaunchError(
        `DATA_DIR ${resolve(path)} cannot be written to by this user: set DATA_DIR to a folder that can.`,
      );
    }
    if (hasCode(error, 'ENOENT')) {
      throw new LaunchError(
        `DATA_DIR ${resolve(path)} cannot be made: its file system takes no new folders there. Set DATA_DIR to another folder.`,
      );
    }
    if (hasCode(error, 'EEXIST', 'ENOTDIR')) {
      throw new LaunchError(`DATA_DIR ${resolve(path)} is, or lies under, a file: set DATA_DIR to a folder.`);
    }
    throw error;
  }
}

/**
 * Like `mkdir -p`. Node's own (`recursive`) never ends where a parent exists and yet takes no folders, as in /proc.
 * @returns the first folder that it made; undefined: all were there
 */
function makeFolders(path: string): string | undefined {
  try {
    mkdirSync(path);
    return path;
  } catch (error) {
    if (hasCode(error, 'EEXIST') && statSync(path).isDirectory()) return undefined;
    if (!hasCode(error, 'ENOENT') || existsSync(dirname(path))) throw error;
  }
  const first = makeFolders(dirname(path));
  mkdirSync(path);
  return first ?? path;
}

/**
 * Keeps a second one out of `dataDir` until the lock is released or this process ends.
 * @throws LaunchError naming the process that uses the folder
 */
export function lockDataDir(dataDir: string, lockName: string): HeldLock {
  const lock = takeLock(join(dataDir, lockName));
  if (!('heldBy' in lock)) return lock;
  throw new LaunchError(
    `DATA_DIR ${dataDir} is in use by another running Longshore (process ${lock.heldBy}): stop that one, or set DATA_DIR (and PORT) to others.`,
  );
}

/** Postgres does not run as root and must get in, whatever umask the folders were made under. Secrets have modes of their own. */
function openToOthers(first: string, last: string): void {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) chmodSync(folder, 0o755);
}

// A lock that outlives no process: a file that names its holder, and that anybody may take over once the holder is gone.

export interface HeldLock {
  release(): void;
}

/**
 * Takes the lock at `path`.
 * @returns the lock, or the pid of the process that holds it
 */
function takeLock(path: string): HeldLock | { heldBy: number } {
  const content = `${process.pid} ${processIdentity(process.pid) ?? ''}\n`;
  // Linked into place whole, so that nobody ever reads half a lock.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    for (;;) {
      if (linked(draft, path)) return { release: () => releaseIfOurs(path, content) };
      const found = readIfThere(path);
      if (found === undefined) continue;
      const heldBy = holder(found);
      if (heldBy !== undefined) return { heldBy };
      setAside(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process that wrote this lock, if that very process still runs. */
function holder(content: string): number | undefined {
  const [pid = '', ...identity] = content.trim().split(' ');
  return processIdentity(Number(pid)) === identity.join(' ') ? Number(pid) : undefined;
}

/** Removes a lock whose holder is gone. Renamed first: of two that do this at once, one finds nothing to rename. */
function setAside(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  // Somebody took it over between our look and our rename: it is theirs, give it back.
  if (readFileSync(aside, 'utf8') !== stale) linked(aside, path);
  rmSync(aside, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function releaseIfOurs(path: string, content: string): void {
  if (readIfThere(path) === content) rmSync(path, { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
