/** The system user that Postgres runs as: ourselves, or, as it refuses to run as root, an unprivileged user. */
import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, LaunchError } from './launch-error.js';

export interface ServerUser {
  /** Undefined: our own user, no change needed. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** As a person would name it. */
  readonly label: string;
}

const UNPRIVILEGED = ['postgres', 'nobody'];

/**
 * Whom to run Postgres as.
 * @param existingData a cluster that is already there keeps the user it was made by
 */
export function findServerUser(existingData: string): ServerUser {
  if (process.getuid?.() !== 0) return { ids: undefined, label: 'the current user' };
  return ownerOf(existingData) ?? unprivilegedUser();
}

/** The first folder on the way to `path` (itself included) that the user cannot enter; undefined: all can be entered. */
export function firstClosedFolder(user: ServerUser, path: string): string | undefined {
  if (user.ids === undefined) return undefined;
  const way: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    way.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  // Tried, not computed from mode bits: access lists and mounts have their say too.
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
    // Signed 32 bits is what spawn takes: macOS gives "nobody" 4294967294.
    const env = { PATH: '/usr/bin:/bin' };
    return Number(execFileSync('id', [flag, name], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) | 0;
  } catch {
    return undefined;
  }
}
