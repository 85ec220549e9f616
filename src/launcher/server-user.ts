/** The system user as which Postgres runs: the current user, or for root an unprivileged user, as Postgres demands. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, LaunchError } from './launch-error.js';

export interface ServerUser {
  /** Undefined: the current user. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** The name of the user in messages. */
  readonly label: string;
}

const UNPRIVILEGED = ['postgres', 'nobody'];

/**
 * The user as which to run Postgres.
 * @param existingData the folder of an existing cluster, whose owner is used
 */
export function findServerUser(existingData: string): ServerUser {
  if (process.getuid?.() !== 0) return { ids: undefined, label: 'the current user' };
  return ownerOf(existingData) ?? unprivilegedUser();
}

/** The first folder on the way to `path`, or `path` itself, that the user cannot enter; undefined: there is none. */
export function firstClosedFolder(user: ServerUser, path: string): string | undefined {
  if (user.ids === undefined) return undefined;
  const way: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    way.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  // The folders are entered as a test, because access lists and mounts matter besides the mode bits.
  const script = 'for folder; do cd "$folder" 2>/dev/null || { printf %s "$folder"; exit 1; }; done';
  const tried = spawnSync('/bin/sh', ['-c', script, 'sh', ...way], { ...user.ids, cwd: '/', encoding: 'utf8' });
  if (tried.error !== undefined) throw cannotBecome(user, tried.error);
  return tried.status === 0 ? undefined : tried.stdout;
}

function cannotBecome(user: ServerUser, error: Error): Error {
  if (!hasCode(error, 'EPERM')) return error;
  return new LaunchError(
    `Postgres refuses to run as root, and this process may not become ${user.label}: start as an ordinary user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

function ownerOf(existingData: string): ServerUser | undefined {
  try {
    const { uid, gid } = statSync(existingData);
    return uid === 0 ? undefined : { ids: { uid, gid }, label: `the owner of ${existingData} (user ${uid})` };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

function unprivilegedUser(): ServerUser {
  for (const name of UNPRIVILEGED) {
    const uid = numericId('-u', name);
    const gid = numericId('-g', name);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { ids: { uid, gid }, label: `user "${name}"` };
  }
  throw new LaunchError(
    'Postgres refuses to run as root, and this machine has neither a user "postgres" nor "nobody": start as an ordinary user, or set DATABASE_URL to a Postgres of your own.',
  );
}

function numericId(flag: string, name: string): number | undefined {
  try {
    // spawn accepts signed 32 bits, but the id of "nobody" on macOS is 4294967294.
    const env = { PATH: '/usr/bin:/bin' };
    return Number(execFileSync('id', [flag, name], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) | 0;
  } catch {
    return undefined;
  }
}
