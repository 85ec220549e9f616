/** Looks at the folder of a feed without taking anything: lists it, and compares with what is known. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { RemoteFailure, type RemoteFile } from '../../platform/remote/remote-folder.js';
import { fileNameProblem } from '../files/file-name.js';
import type { ClaimedLook } from './claim-look.js';
import type { FeedEnvironment } from './feed-environment.js';
import { pastOf } from './known-files.js';
import { lookAt } from './look.js';
import { openFeedFolder } from './open-feed.js';

/** Files that are remembered of a look: new ones, by name, and then those that lie there still. */
const MOST_REMEMBERED = 1_000;

/** What a run would find to do, each file by a digest of its name and version. */
export interface LookedFor {
  readonly found: readonly string[];
  /** Those of which it is already certain that they are complete. */
  readonly complete: ReadonlySet<string>;
}

/** @throws RemoteFailure */
export async function lookForNew(
  db: Db,
  environment: FeedEnvironment,
  feed: ClaimedLook,
  signal: AbortSignal,
): Promise<LookedFor> {
  const folder = await openFeedFolder({ db, environment }, feed, feed.connection, signal);
  try {
    const { ready, isKnown } = await lookAt(folder, feed.pick, pastOf(db, feed), signal, false);
    // Of a file that was taken there is something to do only if it should not lie there any more.
    const left = feed.afterwards === 'leave' ? [] : ready.filter(isKnown);
    const wanted = [...ready.filter((file) => !isKnown(file)), ...left]
      .filter(({ name }) => fileNameProblem(name) === undefined)
      .slice(0, MOST_REMEMBERED);
    for (const file of wanted) requireVersion(file);
    const complete = wanted.filter((file) => isKnown(file) || feed.pick.doneMarker !== null);
    return { found: wanted.map(digestOf), complete: new Set(complete.map(digestOf)) };
  } finally {
    await folder.close();
  }
}

function digestOf({ name, version }: RemoteFile): string {
  return createHash('sha256')
    .update(JSON.stringify([name, version]))
    .digest('base64url')
    .slice(0, 16);
}

/** @throws RemoteFailure NOT_SUPPORTED */
function requireVersion({ name, version }: RemoteFile): void {
  if (version !== '') return;
  const message = `the server says neither the time nor the version (ETag) of ${name}, so that only its content could tell whether it is new: choose a schedule with cron`;
  throw new RemoteFailure('NOT_SUPPORTED', message);
}
