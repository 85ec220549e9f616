/** A file store in a local folder, which all processes share. */
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FileMissing, type FileStore } from './file-store.js';
import { remove } from './local-store/files.js';
import { requireRoot } from './local-store/folders.js';
import { ping, removeAbandoned } from './local-store/maintenance.js';
import { createPending } from './local-store/pending-file.js';
import { readRange, readStream } from './local-store/read-file.js';
import { createScratch } from './local-store/scratch-file.js';
import { StoreFolder } from './local-store/store-folder.js';

/**
 * Creates a file store in a local folder, and the folder if it is missing. All processes must see the same folder. It is
 * not created later: if it vanishes, its files are out of reach, and an empty folder would look as if they were deleted.
 * @param limitMs how long the folder may take to answer; for tests
 */
export function createLocalFileStore(directory: string, limitMs?: number): FileStore {
  const folder = new StoreFolder(resolve(directory), limitMs);
  const { root, pathOf } = folder;
  return {
    create: async (key) => createPending(await folder.calls(), root, pathOf(key)),
    createScratch: async () => createScratch(await folder.calls(), root),
    read: async (key, range) => {
      const calls = await folder.calls();
      const handle = await calls.open(pathOf(key), 'r').catch((error) => folder.throwMissing(key, error));
      return readStream(calls, handle, range);
    },
    readRange: async (key, start, end) => {
      const calls = await folder.calls();
      const handle = await calls.open(pathOf(key), 'r').catch((error) => folder.throwMissing(key, error));
      return readRange(calls, handle, start, end);
    },
    size: async (key) => {
      try {
        return (await folder.stat(key)).size;
      } catch (error) {
        if (error instanceof FileMissing) return null;
        throw error;
      }
    },
    requireSize: async (key) => (await folder.stat(key)).size,
    remove: async (key) => remove(await folder.calls(), pathOf(key)),
    removeAbandoned: async (idleMs) => removeAbandoned(await folder.calls(), root, Date.now() - idleMs),
    ping: async () => ping(await folder.calls(), root),
    freeBytes: async () => {
      const calls = await folder.calls();
      await requireRoot(calls, root);
      const { blocks, bavail, bsize } = await calls.run('asking for the free space', () => statfs(root));
      return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
    },
    direct: null,
  };
}
