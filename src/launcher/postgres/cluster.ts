/** The data folder of an embedded Postgres, which is created completely or not at all. */
import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, LaunchError } from '../launch-error.js';
import type { ServerUser } from '../server-user.js';
import type { PostgresBinaries } from './binaries.js';
import { SUPERUSER, serverEnvironment } from './server-settings.js';

interface ClusterOptions {
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser;
  readonly password: string;
  /** False for data that need not survive a power failure. */
  readonly durable: boolean;
}

/** Whether `folder` contains a cluster. @throws LaunchError when it contains something else, or another version */
export function clusterExists(folder: string, binaries: PostgresBinaries): boolean {
  try {
    if (!existsSync(folder)) return false;
    const major = binaries.version.split('.')[0];
    const found = readdirSync(folder).includes('PG_VERSION')
      ? readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
      : undefined;
    if (found === major) return true;
    if (found !== undefined) {
      throw new LaunchError(
        `The data in ${folder} was written by Postgres ${found} and this release brings Postgres ${major}: start the release that wrote it, or set DATA_DIR to a new folder.`,
      );
    }
    rmdirSync(folder);
    return false;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      throw new LaunchError(
        `The data in ${folder} belongs to another user: start as the user that made it, or set DATA_DIR to a new folder.`,
      );
    }
    if (hasCode(error, 'ENOTEMPTY', 'ENOTDIR')) {
      throw new LaunchError(
        `${folder} holds something other than Postgres' data: move it away, or set DATA_DIR to a new folder.`,
      );
    }
    throw error;
  }
}

/** Creates a cluster under a temporary name first, so that an interrupted creation does not look like a cluster. */
export async function createCluster({ folder, binaries, user, password, durable }: ClusterOptions): Promise<void> {
  const draft = `${folder}.new`;
  const passwordFile = `${folder}.password`;
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  try {
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    giveTo(user, draft, passwordFile);
    await run(binaries.initdb, initdbArguments(draft, passwordFile, durable), user);
    renameSync(draft, folder);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Sets a new password for the superuser if the old one was lost. Single-user mode needs no password. */
export async function resetPassword({ folder, binaries, user, password }: ClusterOptions): Promise<void> {
  rmSync(join(folder, 'postmaster.pid'), { force: true });
  await run(
    binaries.postgres,
    ['--single', '-D', folder, 'postgres'],
    user,
    `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`,
  );
}

function initdbArguments(folder: string, passwordFile: string, durable: boolean): string[] {
  return [
    ...['-D', folder, '-U', SUPERUSER, '--pwfile', passwordFile, '--auth', 'scram-sha-256', '--encoding', 'UTF8'],
    // The built-in provider sorts by code point and needs no locale of the operating system.
    ...['--no-locale', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
    // Iterations slow down who guesses passwords, and every connection. Nobody guesses 192 random bits.
    ...['--set', 'scram_iterations=1'],
    ...(durable ? [] : ['--no-sync']),
  ];
}

function giveTo(user: ServerUser, ...paths: string[]): void {
  if (user.ids === undefined) return;
  const { uid, gid } = user.ids;
  for (const path of paths) {
    try {
      chownSync(path, uid >>> 0, gid >>> 0);
    } catch (error) {
      if (!hasCode(error, 'EPERM', 'EINVAL', 'ENOTSUP')) throw error;
      throw new LaunchError(
        `Postgres runs as ${user.label}, but the disk does not allow ${path} to belong to that user: set DATA_DIR to a folder on another disk, or start as an ordinary user.`,
      );
    }
  }
}

async function run(program: string, args: string[], user: ServerUser, input?: string): Promise<void> {
  const running = promisify(execFile)(program, args, { ...user.ids, cwd: '/', env: serverEnvironment() });
  running.child.stdin?.end(input ?? '');
  try {
    await running;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new LaunchError(`Postgres' data could not be prepared: ${said || String(error)}`);
  }
}
