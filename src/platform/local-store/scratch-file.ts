/** Temporary files in a local folder. */
import { randomBytes } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ScratchFile } from '../file-store.js';
import type { StoreCalls } from '../store-calls.js';
import { FILE_MODE, ignore, remove, UNFINISHED } from './files.js';
import { requireRoot } from './folders.js';

/** Creates a scratch file in a local folder. */
export async function createScratch(calls: StoreCalls, root: string): Promise<ScratchFile> {
  await requireRoot(calls, root);
  const path = join(root, `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const handle = await calls.open(path, 'wx+', FILE_MODE);
  await remove(calls, path).catch(async (error) => {
    await calls.close(handle);
    throw error;
  });
  const { fd } = handle;
  let size = 0;
  return {
    get size() {
      return size;
    },
    append: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, size + at);
      size += bytes.length;
    },
    read: (start, end) => {
      const buffer = Buffer.allocUnsafe(end - start);
      let filled = 0;
      while (filled < buffer.length) {
        const bytesRead = readSync(fd, buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) throw new RangeError(`a scratch file of ${size} bytes has none at ${start + filled}`);
        filled += bytesRead;
      }
      return buffer;
    },
    close: () => void calls.close(handle).catch(ignore),
  };
}
