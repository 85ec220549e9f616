/** The folders of a local file store: the root is created once, the others with their first file. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-code.js';
import { FileStoreUnavailable } from '../file-store.js';
import type { StoreCalls } from '../store-calls.js';

function folderGone(root: string): FileStoreUnavailable {
  return new FileStoreUnavailable(`the folder of the file store does not exist: ${root}`);
}
const FOLDER_MODE = 0o700;
/** What a folder that exists allows to other users, which is taken away. */
const OTHERS = 0o007;
const STICKY = 0o1000;

/** Like `mkdir -p`. Node's option `recursive` never returns if a parent exists but allows no new folders, as in /proc. */
export async function makeRoot(calls: StoreCalls, path: string, mode = FOLDER_MODE): Promise<void> {
  try {
    await makeOne(calls, path, mode);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    // The folders above belong to the one who has named them.
    await makeRoot(calls, dirname(path), 0o777);
    await makeOne(calls, path, mode).catch(unlessExists);
  }
}

async function makeOne(calls: StoreCalls, path: string, mode: number): Promise<void> {
  await calls.run('making a folder', () => mkdir(path, mode));
}

function unlessExists(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

/** Takes from others what an earlier release has allowed them. A folder that all users share (sticky) is left alone. */
export async function hideFromOthers(calls: StoreCalls, root: string): Promise<void> {
  const { mode } = await calls.run('looking at the folder', () => stat(root));
  if ((mode & OTHERS) === 0 || (mode & STICKY) !== 0) return;
  await calls.run('restricting the folder', () => chmod(root, mode & 0o7777 & ~OTHERS));
}

/** Creates a folder of the store and those above it, but not the store. @throws FileStoreUnavailable */
export async function makeFolder(calls: StoreCalls, root: string, folder: string): Promise<void> {
  if (folder === root) return requireRoot(calls, root);
  try {
    await makeOne(calls, folder, FOLDER_MODE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(calls, root, dirname(folder));
    await makeOne(calls, folder, FOLDER_MODE).catch(unlessExists);
  }
}

/** @throws FileStoreUnavailable */
export async function requireRoot(calls: StoreCalls, root: string): Promise<void> {
  const found = await calls
    .run('looking at the folder', () => stat(root))
    .catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw folderGone(root);
    });
  if (!found.isDirectory()) throw folderGone(root);
}
