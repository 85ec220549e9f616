/** Tries a connection, and says what a run would take, without taking it. */
import type { Db } from '../../../db/connection.js';
import { RemoteFailure, type RemoteFile, type Secrets } from '../../platform/remote/remote-folder.js';
import { fileNameProblem } from '../files/file-name.js';
import { type FeedEnvironment, openFolderOf } from './feed-environment.js';
import { pastOf } from './known-files.js';
import { type Looked, lookAt, type Past } from './look.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { SourceRow } from './model/feed.js';
import type { FeedFailure } from './model/feed-failure.js';
import type { SourceSettings } from './model/feed-settings.js';

/** Files that a test shows. */
const MOST_SHOWN = 100;
export const WITHIN_MS = 20_000;

interface SeenFile extends Pick<RemoteFile, 'name' | 'bytes' | 'modifiedAt'> {
  /** What a run would do with it: KNOWN: it was taken before. */
  readonly fate: 'NEW' | 'KNOWN' | 'WAITING' | 'REFUSED';
  readonly reason: string | null;
}

export interface FeedTest {
  /** Null: it was reached. */
  readonly failure: FeedFailure | null;
  readonly hostKey: string | null;
  readonly seen: number;
  readonly more: boolean;
  readonly files: readonly SeenFile[];
  /** Of a destination: whether a small file could be written; null: of a source. */
  readonly writable: boolean | null;
  /** Of a destination by https: its address answers, and nothing was sent to it. */
  readonly untried?: boolean;
  /** Its name, if it could not be removed again. */
  readonly left: string | null;
}

const OF_SOURCE = { writable: null, left: null } as const;
const NO_PAST: Past = { knownAmong: async () => () => false, newestAt: null };

interface Tried extends Pick<SourceSettings, 'connection' | 'pick'> {
  readonly accountId: string;
  /** Null: it is not saved, and has taken nothing. */
  readonly saved: Pick<SourceRow, 'id' | 'seen_file'> | null;
  readonly secrets: Secrets;
}

export async function testFeed(
  db: Db,
  environment: FeedEnvironment,
  { accountId, saved, connection, pick, secrets }: Tried,
  signal: AbortSignal,
): Promise<FeedTest> {
  const timeout = AbortSignal.timeout(WITHIN_MS);
  const until = AbortSignal.any([signal, timeout]);
  try {
    const { folder, hostKey } = await openFolderOf(environment, accountId, connection, secrets, until);
    try {
      const past = saved === null ? NO_PAST : pastOf(db, { ...saved, connection, pick });
      const looked = await lookAt(folder, pick, past, until, false);
      return { failure: null, hostKey, seen: looked.seen, more: looked.more, files: shown(looked), ...OF_SOURCE };
    } finally {
      await folder.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const hostKey = shownKey(connection, error);
    return { failure: testFailure(error, timeout), hostKey, seen: 0, more: false, files: [], ...OF_SOURCE };
  }
}

function shown({ ready, waiting, isKnown, outdated }: Looked): SeenFile[] {
  const files = ready.map((file): SeenFile => {
    const { name, bytes, modifiedAt } = file;
    const problem = fileNameProblem(name);
    if (problem !== undefined) return { name, bytes, modifiedAt, fate: 'REFUSED', reason: problem };
    return { name, bytes, modifiedAt, fate: isKnown(file) ? 'KNOWN' : 'NEW', reason: null };
  });
  const others = waiting.map(({ name, bytes, modifiedAt }): SeenFile => {
    return { name, bytes, modifiedAt, fate: 'WAITING', reason: 'there is no marker that is as new as the file' };
  });
  const older =
    outdated === null
      ? []
      : [outdated].map(({ name, bytes, modifiedAt }): SeenFile => {
          return { name, bytes, modifiedAt, fate: 'REFUSED', reason: 'is older than the file that was taken last' };
        });
  return [...files, ...others, ...older].sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, MOST_SHOWN);
}

export function testFailure(error: unknown, timeout: AbortSignal): FeedFailure {
  if (error instanceof RemoteFailure) return { code: error.code, message: error.message };
  if (timeout.aborted) return { code: 'TIMED_OUT', message: `there was no answer within ${WITHIN_MS / 1000} seconds` };
  throw error;
}

/** The key that a server has shown before it refused the login, if none was given. */
export function shownKey(connection: FeedConnection, error: unknown): string | null {
  if (connection.kind !== 'sftp' || connection.hostKey !== null || !(error instanceof RemoteFailure)) return null;
  return error.hostKey || null;
}
