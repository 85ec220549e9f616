/** Sends a stored file to where a destination wants it, and removes older ones there. */
import { Readable } from 'node:stream';
import { FileMissing } from '../../platform/file-store.js';
import { RemoteFailure, type RemoteFolder } from '../../platform/remote/remote-folder.js';
import type { DeliveryCounts } from './delivery-counts.js';
import type { FeedEnvironment, FeedServices } from './feed-environment.js';
import type { DestinationRow } from './model/feed.js';
import { noteGone, type Output, olderFiles } from './outputs.js';
import { takenAtPace } from './pace.js';

/** Pieces of files that died with their process. */
const MOST_PIECES = 20;

/** Files whose names are the same text. */
const MOST_NAMESAKES = 20;

interface SendServices extends Pick<FeedServices, 'fileStore'> {
  readonly environment: Pick<FeedEnvironment, 'pace'>;
}

/**
 * Under a temporary name first, and under the same name each time, so that a repetition makes no second file.
 * @param begun the names of files that may have been begun before
 * @returns false when its bytes are not in the store any more
 * @throws RemoteFailure; errors of the store; the reason of the signal
 */
export async function sendOutput(
  { fileStore, environment: { pace } }: SendServices,
  folder: RemoteFolder,
  { key, name }: Pick<Output, 'key' | 'name'>,
  begun: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  // The file has to be there before anything is written elsewhere.
  const bytes = await fileStore.size(key);
  if (bytes === null) return false;
  for (const one of folder.leavesNothing === true ? [] : begun) await removePieces(folder, one, signal);
  try {
    const source = await fileStore.read(key);
    try {
      const paced = Readable.from(takenAtPace(source, name, pace), { objectMode: false });
      await folder.write(name, paced, signal, bytes);
    } finally {
      // A server that fails before it takes a byte leaves it open.
      source.destroy();
    }
    return true;
  } catch (error) {
    if (error instanceof FileMissing) return false;
    throw error;
  }
}

/** What a process that was killed has left under temporary names, which are those of `RemoteFolder.write`. */
async function removePieces(folder: RemoteFolder, name: string, signal: AbortSignal): Promise<void> {
  try {
    const { files } = await folder.list({ pattern: `.${name}.????????????.part`, limit: MOST_PIECES }, signal);
    for (const piece of files) await folder.remove(piece.name, signal);
  } catch (error) {
    // They are hidden and disturb nobody: a server that lists or removes nothing can be written to all the same.
    if (!(error instanceof RemoteFailure) || error.isTransient) throw error;
  }
}

/**
 * Removes what the destination has written before, beyond the newest so many files. A file that has another size than what it
 * wrote is not its own. What cannot be removed is noted, and tried again after the next file.
 */
export async function removeOlder(
  { db }: Pick<FeedServices, 'db'>,
  folder: RemoteFolder,
  { id, destination: { keep } }: DestinationRow,
  { name: newest }: Output,
  counts: DeliveryCounts,
  signal: AbortSignal,
): Promise<void> {
  if (keep === null) return;
  try {
    for (const { name, sizes } of await olderFiles(db, id, newest, keep)) {
      const { files } = await folder.list({ pattern: name, limit: MOST_NAMESAKES }, signal);
      // A Mac may have written its letters with accents otherwise.
      const found = files.find((file) => file.name === name) ?? files[0];
      if (found !== undefined && (found.bytes === null || sizes.includes(found.bytes))) {
        await folder.remove(found.name, signal);
        counts.removed(name);
      }
      await noteGone(db, id, name);
    }
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    counts.note(error.code, `older files could not be removed: ${error.message}`);
  }
}
