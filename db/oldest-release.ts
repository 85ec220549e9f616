/**
 * The oldest release that may use the database. A migration that older releases cannot work with writes it, and each
 * process compares it with its own when it starts and with each heartbeat.
 */
import type { Db } from './connection.js';
import { knownMigrations, rowsOf } from './migrate.js';

interface OldestRelease {
  /** What a release has to know. */
  readonly migration: string;
  /** The first one that does. */
  readonly version: string;
}

/** Null while the database lacks the table: then it is older than this release. */
export async function oldestRelease(db: Db): Promise<OldestRelease | null> {
  const [oldest] = await rowsOf<OldestRelease>(db, 'SELECT migration, version FROM oldest_release', []);
  return oldest ?? null;
}

interface TooOld {
  /** What is wrong, in a sentence without its end. */
  readonly message: string;
  /** What to do. */
  readonly cure: string;
}

/**
 * Says that this process may not use the database any more; null: it may.
 * @param version that of this process
 * @throws the error of the database when it does not answer
 */
export async function findTooOld(db: Db, version: string): Promise<TooOld | null> {
  const [oldest, known] = await Promise.all([oldestRelease(db), knownMigrations()]);
  if (oldest === null || known.includes(oldest.migration)) return null;
  return {
    message: `this process is of release ${version}, which is older than the database allows`,
    cure: `start release ${oldest.version} or a newer one in its place, which knows the migration ${oldest.migration}`,
  };
}

/** Whether a version comes before another one: both are three numbers, or what follows them does not count. */
export function isBefore(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((text) => text.split(/[.+-]/, 3).map(Number));
  const at = numbers?.findIndex((number, place) => number !== others?.[place]) ?? -1;
  return (numbers?.[at] ?? 0) < (others?.[at] ?? 0);
}
