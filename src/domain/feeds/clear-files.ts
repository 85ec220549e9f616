/** Moves or deletes files that were taken, if the feed asks for it. What a death leaves undone, the next run does. */
import type { Db } from '../../../db/connection.js';
import { RemoteFailure, type RemoteFile, type RemoteFolder } from '../../platform/remote/remote-folder.js';
import { filesNamed, markerOf } from './look.js';
import type { SourceRow } from './model/feed.js';

/** Files that are cleared after one look at what is there: one that was replaced meanwhile has to stay. */
const AT_ONCE = 50;

/** After so many one after another that cannot be cleared the others are not tried: most likely none can. */
const MOST_FAILED = 20;

/** What concerns one file, and says nothing of the others. */
const OF_A_FILE: ReadonlySet<string> = new Set(['NOT_ALLOWED', 'NOT_SUPPORTED', 'NOT_FOUND', 'CHANGED_WHILE_READ']);

/**
 * One that cannot be cleared does not hold up the others. Each time the order is another one, so that many that can never be
 * cleared do not come first for ever.
 * @param files as they were read
 * @throws RemoteFailure one of them, when some could not be cleared
 */
export async function clearFiles(
  db: Db,
  folder: RemoteFolder,
  feed: Pick<SourceRow, 'id' | 'pick' | 'afterwards'>,
  files: readonly RemoteFile[],
  signal: AbortSignal,
): Promise<void> {
  const { id, pick, afterwards } = feed;
  if (afterwards === 'leave') return;
  let [failure, inARow]: [RemoteFailure | undefined, number] = [undefined, 0];
  const all = shuffled(files);
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    const there = await filesNamed(folder, pick.pattern, new Set(some.map(({ name }) => name)), signal);
    for (const { name, version } of some) {
      if (there.get(name)?.version !== version) continue;
      try {
        await clearFile(folder, { pick, afterwards }, name, signal);
      } catch (error) {
        if (!(error instanceof RemoteFailure) || !OF_A_FILE.has(error.code)) throw error;
        failure ??= error;
        if (++inARow === MOST_FAILED) throw failure;
        continue;
      }
      inARow = 0;
      await noteCleared(db, id, { name, version });
    }
  }
  if (failure !== undefined) throw failure;
}

function shuffled<Each>(all: readonly Each[]): Each[] {
  const placed = all.map((one) => ({ one, place: Math.random() }));
  return placed.sort((one, other) => one.place - other.place).map(({ one }) => one);
}

async function clearFile(
  folder: RemoteFolder,
  { pick, afterwards }: Pick<SourceRow, 'pick' | 'afterwards'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  // Its marker goes first: left behind, it would call the next file of this name complete.
  const marker = markerOf(name, pick);
  if (marker !== null) await folder.remove(marker, signal);
  if (typeof afterwards === 'object') await folder.move(name, afterwards.moveTo, signal);
  else await folder.remove(name, signal);
}

/** Of the last file that was taken under the name, and not of one that was the same before another. */
async function noteCleared(
  db: Db,
  feedId: string,
  { name, version }: Pick<RemoteFile, 'name' | 'version'>,
): Promise<void> {
  await db.raw(
    `UPDATE feed_file SET cleared_at = now()
     WHERE feed_id = :feedId AND name = :name AND version = :version
       AND taken_at = (SELECT max(taken_at) FROM feed_file WHERE feed_id = :feedId AND name = :name)`,
    { feedId, name, version },
  );
}
