/** Tries the connection of a destination: a small file is written and removed again. What is sent by https cannot be. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db } from '../../../db/connection.js';
import { RemoteFailure, type RemoteFolder, type Secrets } from '../../platform/remote/remote-folder.js';
import { requirePublishedFile } from '../exports/published-files.js';
import { DomainError } from '../kernel/errors.js';
import { type FeedEnvironment, openFolderOf } from './feed-environment.js';
import type { FeedConnection } from './model/connection-settings.js';
import { type FeedTest, shownKey, testFailure, WITHIN_MS } from './test-feed.js';

interface Tried {
  readonly accountId: string;
  readonly siteId: number;
  readonly connection: FeedConnection;
  readonly secrets: Secrets;
}

const NOTHING_SEEN = { seen: 0, more: false, files: [] } as const;

export async function testDestination(
  db: Db,
  environment: FeedEnvironment,
  { accountId, siteId, connection, secrets }: Tried,
  signal: AbortSignal,
): Promise<FeedTest> {
  const timeout = AbortSignal.timeout(WITHIN_MS);
  const until = AbortSignal.any([signal, timeout]);
  try {
    if (connection.kind === 'published') {
      await requirePublishedFile(db, siteId, connection.name);
      return { ...NOTHING_SEEN, failure: null, hostKey: null, writable: true, left: null };
    }
    const { folder, hostKey } = await openFolderOf(environment, accountId, connection, secrets, until, {
      writes: true,
    });
    try {
      if (folder.reach !== undefined) {
        await folder.reach(until);
        return { ...NOTHING_SEEN, failure: null, hostKey, writable: null, left: null, untried: true };
      }
      const left = await tryWriting(folder, until);
      return { ...NOTHING_SEEN, failure: null, hostKey, writable: true, left };
    } finally {
      await folder.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const failure =
      error instanceof DomainError ? { code: error.code, message: error.message } : testFailure(error, timeout);
    return { ...NOTHING_SEEN, failure, hostKey: shownKey(connection, error), writable: false, left: null };
  }
}

/** @returns the name of the file, if it could not be removed @throws RemoteFailure when it could not be written */
async function tryWriting(folder: RemoteFolder, signal: AbortSignal): Promise<string | null> {
  // Hidden, so that nobody takes it for a file of theirs.
  const name = `.longshore-test.${randomBytes(6).toString('hex')}`;
  await folder.write(name, Readable.from([Buffer.from('Longshore tests whether it can write here.\n')]), signal);
  try {
    await folder.remove(name, signal);
    return null;
  } catch (error) {
    if (error instanceof RemoteFailure && error.code === 'NOT_ALLOWED') return name;
    throw error;
  }
}
