/** Writes files of the store. */
import type { Writable } from 'node:stream';
import type { FileStore } from './file-store.js';

/** Writes a file, of which nothing is kept when `write` fails. @param write returns when the stream has finished */
export async function storeFile<Result>(
  fileStore: Pick<FileStore, 'create'>,
  key: string,
  write: (stream: Writable) => Promise<Result>,
): Promise<Result> {
  const pending = await fileStore.create(key);
  try {
    const result = await write(pending.stream);
    await pending.commit();
    return result;
  } catch (error) {
    await pending.discard();
    throw error;
  }
}
