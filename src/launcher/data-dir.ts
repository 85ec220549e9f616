/** DATA_DIR: the folder with the data of an installation. Only one launcher at a time uses it. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { acquireLock, type HeldLock } from './data-dir-lock.js';
import { hasCode, LaunchError } from './launch-error.js';

/**
 * Creates the folder if necessary.
 * @returns its real path
 * @throws LaunchError when it cannot be created or written to
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
        `DATA_DIR ${resolve(path)} cannot be written to by this user: set DATA_DIR to a folder to which this user can write.`,
      );
    }
    if (hasCode(error, 'ENOENT')) {
      throw new LaunchError(
        `DATA_DIR ${resolve(path)} cannot be created: its file system does not allow new folders there. Set DATA_DIR to another folder.`,
      );
    }
    if (hasCode(error, 'EEXIST', 'ENOTDIR')) {
      throw new LaunchError(`DATA_DIR ${resolve(path)} is a file, or is below a file: set DATA_DIR to a folder.`);
    }
    throw error;
  }
}

/**
 * Like `mkdir -p`. Node's option `recursive` never returns if a parent exists but allows no new folders, as in /proc.
 * @returns the first folder that was created; undefined: all existed
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
 * Locks `dataDir` until the lock is released or this process ends.
 * @throws LaunchError that names the process that uses the folder
 */
export function lockDataDir(dataDir: string, lockName: string): HeldLock {
  const lock = acquireLock(join(dataDir, lockName));
  if (!('heldBy' in lock)) return lock;
  throw new LaunchError(
    `DATA_DIR ${dataDir} is in use by another running Longshore (process ${lock.heldBy}): stop that one, or set DATA_DIR (and PORT) to others.`,
  );
}

/** Lets Postgres enter, which does not run as root, whatever the umask is. Files with secrets have their own modes. */
function openToOthers(first: string, last: string): void {
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) chmodSync(folder, 0o755);
}
