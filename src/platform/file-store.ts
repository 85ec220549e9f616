/** The file store: files are written atomically, and read as streams, in whole or in part. */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  type WriteStream,
  writeSync,
} from 'node:fs';
import { access, chmod, constants, mkdir, open as openFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** A file being written: it is not visible under its key until `commit`. */
export interface PendingFile {
  readonly stream: Writable;
  /** Makes the file visible, durably (fsync), replacing an earlier one. Call it after the stream has finished. */
  commit(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/**
 * A temporary file for data that does not fit into memory: invisible to other processes, and deleted when it is closed
 * or its process ends. Reads and writes are synchronous, because the page cache serves them.
 */
export interface ScratchFile {
  readonly size: number;
  append(bytes: Uint8Array): void;
  /** Bytes [start, end). */
  read(start: number, end: number): Buffer;
  close(): void;
}

export interface FileStore {
  create(key: string): Promise<PendingFile>;
  createScratch(): Promise<ScratchFile>;
  /** @throws FileMissing */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Bytes [start, end) in one buffer. @throws FileMissing */
  readRange(key: string, start: number, end: number): Promise<Buffer>;
  /** Size in bytes; null when there is no such file. */
  size(key: string): Promise<number | null>;
  remove(key: string): Promise<void>;
  /** Removes unfinished files of processes that died, which have not been written to for `idleMs`. */
  removeAbandoned(idleMs: number): Promise<void>;
  /** Resolves when the store is writable. */
  ping(): Promise<void>;
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing';
  constructor(readonly key: string) {
    super(`the file store has no file ${key}`);
  }
}

/** The suffix of files that are still being written. */
const UNFINISHED = '.part';

/** Only the user of the service may read the files: they hold the data of all tenants. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** What a folder that exists allows to other users, which is taken away. */
const OTHERS = 0o007;

/** Creates a file store in a local folder, and the folder if it is missing. All processes must see the same folder. */
export function createLocalFileStore(directory: string): FileStore {
  const root = resolve(directory);

  function pathOf(key: string): string {
    const path = resolve(root, key);
    if (!path.startsWith(root + sep)) throw new Error(`a file key may not leave the store: ${key}`);
    return path;
  }

  return {
    create: (key) => createPending(pathOf(key)),
    createScratch: () => createScratch(root),
    read: async (key, range) => {
      await statOrMissing(pathOf(key), key);
      if (range !== undefined && range.end <= range.start) return createReadStream(pathOf(key), { start: 0, end: -1 });
      return createReadStream(pathOf(key), range === undefined ? {} : { start: range.start, end: range.end - 1 });
    },
    readRange: (key, start, end) => readRange(pathOf(key), key, start, end),
    size: async (key) => (await stat(pathOf(key)).catch(() => null))?.size ?? null,
    remove: (key) => rm(pathOf(key), { force: true }),
    removeAbandoned: (idleMs) => removeAbandoned(root, Date.now() - idleMs),
    ping: async () => {
      await makeRoot(root);
      await access(root, constants.W_OK);
    },
  };
}

/** An earlier release has created the folder readable for all users. */
async function makeRoot(root: string): Promise<void> {
  await makeFolder(root);
  const { mode } = await stat(root);
  // A folder of another user cannot be changed, and was not created by us.
  if ((mode & OTHERS) !== 0) await chmod(root, mode & 0o7777 & ~OTHERS).catch(ignore);
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
}

async function createPending(path: string): Promise<PendingFile> {
  await makeFolder(dirname(path));
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const stream: WriteStream = createWriteStream(temporary, { flags: 'wx', mode: FILE_MODE, flush: true });
  return {
    stream,
    commit: async () => {
      await rename(temporary, path);
      await syncDirectory(dirname(path));
    },
    discard: async () => {
      await closed(stream);
      await rm(temporary, { force: true });
    },
  };
}

async function createScratch(root: string): Promise<ScratchFile> {
  await makeFolder(root);
  const path = join(root, `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const fd = openSync(path, 'wx+', FILE_MODE);
  await rm(path);
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
    close: () => closeSync(fd),
  };
}

/** Waits until the stream is closed: one that is still opening would create its file after it was removed. */
async function closed(stream: WriteStream): Promise<void> {
  stream.on('error', ignore);
  stream.destroy();
  if (!stream.closed) await finished(stream).catch(ignore);
}

/** Errors of a discarded stream are not reported: the caller that discards it knows the cause. */
function ignore(): void {}

async function removeAbandoned(root: string, before: number): Promise<void> {
  // A store that is still empty may have no folder yet.
  const names = await readdir(root, { recursive: true }).catch(() => []);
  for (const path of names.filter((name) => name.endsWith(UNFINISHED)).map((name) => join(root, name))) {
    // The file may have been finished and renamed meanwhile.
    const found = await stat(path).catch(() => null);
    if (found !== null && found.mtimeMs < before) await rm(path, { force: true });
  }
}

/** A rename is durable once its directory is on disk. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await openFile(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readRange(path: string, key: string, start: number, end: number): Promise<Buffer> {
  const handle = await openFile(path, 'r').catch(() => {
    throw new FileMissing(key);
  });
  try {
    const buffer = Buffer.allocUnsafe(end - start);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

async function statOrMissing(path: string, key: string): Promise<void> {
  await stat(path).catch(() => {
    throw new FileMissing(key);
  });
}
