/** Tries a local file store, and removes the unfinished files of processes that died. */
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../error-code.js';
import type { StoreCalls } from '../store-calls.js';
import { FILE_MODE, remove, UNFINISHED } from './files.js';
import { requireRoot } from './folders.js';

/** If the process dies meanwhile, the file is removed with those of abandoned uploads. */
export async function ping(calls: StoreCalls, root: string): Promise<void> {
  await requireRoot(calls, root);
  const path = join(root, `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const written = randomBytes(16);
  try {
    const handle = await calls.open(path, 'wx+', FILE_MODE);
    try {
      await calls.write(handle, written);
      await calls.sync(handle, written.length);
      const buffer = Buffer.alloc(written.length);
      await calls.read(handle, buffer, 0, 0);
      if (!written.equals(buffer)) throw new Error('the file store returned other bytes');
    } finally {
      await calls.close(handle);
    }
  } finally {
    await remove(calls, path);
  }
}

/** Folder by folder, so that each call is short. */
export async function removeAbandoned(calls: StoreCalls, folder: string, before: number): Promise<void> {
  // A store that is still empty may have no folder yet, and a folder may be gone meanwhile.
  const entries = await calls
    .run('listing a folder', () => readdir(folder, { withFileTypes: true }))
    .catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return [];
    });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeAbandoned(calls, path, before);
    if (!entry.name.endsWith(UNFINISHED)) continue;
    // The file may have been finished and renamed meanwhile.
    const found = await calls
      .run('looking at a file', () => stat(path))
      .catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
        return null;
      });
    if (found !== null && found.mtimeMs < before) await remove(calls, path);
  }
}
