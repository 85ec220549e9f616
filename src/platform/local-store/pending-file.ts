/** Writes a file of a local file store, which is not visible under its name until it is committed. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PendingFile } from '../file-store.js';
import type { StoreCalls } from '../store-calls.js';
import { FILE_MODE, ignore, remove, UNFINISHED } from './files.js';
import { makeFolder } from './folders.js';

export async function createPending(calls: StoreCalls, root: string, path: string): Promise<PendingFile> {
  await makeFolder(calls, root, dirname(path));
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const stream = writeStream(calls, await calls.open(temporary, 'wx', FILE_MODE));
  return {
    stream,
    commit: async () => {
      await calls.run('renaming a file', () => rename(temporary, path));
      await syncDirectory(calls, dirname(path));
    },
    discard: async () => {
      await closed(stream);
      await remove(calls, temporary);
    },
  };
}

/** Writes to a file, and makes what was written durable before it has finished. */
function writeStream(calls: StoreCalls, handle: FileHandle): Writable {
  let bytes = 0;
  const writeAll = async (chunk: Buffer): Promise<void> => {
    for (let at = 0; at < chunk.length; ) at += await calls.write(handle, chunk.subarray(at));
    bytes += chunk.length;
  };
  return new Writable({
    write: (chunk, _encoding, done) => {
      writeAll(chunk).then(() => done(), done);
    },
    writev: (chunks, done) => {
      writeAll(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
    },
    final: (done) => {
      calls.sync(handle, bytes).then(() => done(), done);
    },
    destroy: (error, done) => {
      calls.close(handle).then(
        () => done(error),
        (reason) => done(error ?? reason),
      );
    },
  });
}

/** Waits until the stream is closed. */
async function closed(stream: Writable): Promise<void> {
  stream.on('error', ignore);
  stream.destroy();
  if (!stream.closed) await finished(stream).catch(ignore);
}

/** A rename is durable once its directory is on disk. */
async function syncDirectory(calls: StoreCalls, path: string): Promise<void> {
  const handle = await calls.open(path, 'r');
  try {
    await calls.sync(handle, 0);
  } finally {
    await calls.close(handle);
  }
}
