/** The file store: files are written atomically, and read as streams, in whole or in part. */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  type WriteStream,
  writeSync,
} from 'node:fs';
import { type FileHandle, mkdir, open as openFile, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
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
  /** The size of a file that has to be there, in bytes. @throws FileMissing */
  requireSize(key: string): Promise<number>;
  remove(key: string): Promise<void>;
  /** Removes unfinished files of processes that died, which have not been written to for `idleMs`. */
  removeAbandoned(idleMs: number): Promise<void>;
  /** Writes a few bytes durably, reads them and removes them. @throws when the store does not return what was written */
  ping(): Promise<void>;
  /** The free space in bytes; Infinity where the file system does not report it. */
  freeBytes(): Promise<number>;
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing';
  constructor(readonly key: string) {
    super(`the file store has no file ${key}`);
  }
}

/** The folder of the store is gone: it was not mounted, or was moved. Nothing is known about its files. */
class FileStoreUnavailable extends Error {
  override readonly name = 'FileStoreUnavailable';
  readonly code = 'STORE_UNAVAILABLE';
  constructor(root: string) {
    super(`the folder of the file store does not exist: ${root}`);
  }
}

/** The suffix of files that are still being written. */
const UNFINISHED = '.part';

/** Only the user of the service may read the files: they hold the data of all tenants. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** What a folder that exists allows to other users, which is taken away. */
const OTHERS = 0o007;
const STICKY = 0o1000;

/**
 * Creates a file store in a local folder, and the folder if it is missing. All processes must see the same folder. It is
 * not created later: if it vanishes, its files are out of reach, and an empty folder would look as if they were deleted.
 */
export function createLocalFileStore(directory: string): FileStore {
  const root = resolve(directory);
  try {
    makeRoot(root);
    hideFromOthers(root);
  } catch {
    // Each use of the store says so.
  }

  function pathOf(key: string): string {
    const path = resolve(root, key);
    if (!path.startsWith(root + sep)) throw new Error(`a file key may not leave the store: ${key}`);
    return path;
  }

  return {
    create: (key) => createPending(root, pathOf(key)),
    createScratch: () => createScratch(root),
    read: async (key, range) => {
      await stat(pathOf(key)).catch((error) => throwMissing(root, key, error));
      if (range !== undefined && range.end <= range.start) return createReadStream(pathOf(key), { start: 0, end: -1 });
      return createReadStream(pathOf(key), range === undefined ? {} : { start: range.start, end: range.end - 1 });
    },
    readRange: async (key, start, end) => {
      const handle = await openFile(pathOf(key), 'r').catch((error) => throwMissing(root, key, error));
      return readRange(handle, start, end);
    },
    size: async (key) => {
      try {
        return (await stat(pathOf(key)).catch((error) => throwMissing(root, key, error))).size;
      } catch (error) {
        if (error instanceof FileMissing) return null;
        throw error;
      }
    },
    requireSize: async (key) => (await stat(pathOf(key)).catch((error) => throwMissing(root, key, error))).size,
    remove: (key) => rm(pathOf(key), { force: true }),
    removeAbandoned: (idleMs) => removeAbandoned(root, Date.now() - idleMs),
    ping: () => ping(root),
    freeBytes: async () => {
      await requireRoot(root);
      const { blocks, bavail, bsize } = await statfs(root);
      return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
    },
  };
}

async function createPending(root: string, path: string): Promise<PendingFile> {
  await makeFolder(root, dirname(path));
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

/** If the process dies meanwhile, the file is removed with those of abandoned uploads. */
async function ping(root: string): Promise<void> {
  await requireRoot(root);
  const path = join(root, `.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  const written = randomBytes(16);
  try {
    const handle = await openFile(path, 'wx+', FILE_MODE);
    try {
      await handle.writeFile(written);
      await handle.sync();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(written.length), 0, written.length, 0);
      if (!written.equals(buffer.subarray(0, bytesRead))) throw new Error('the file store returned other bytes');
    } finally {
      await handle.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

/** Like `mkdir -p`. Node's option `recursive` never returns if a parent exists but allows no new folders, as in /proc. */
function makeRoot(path: string, mode = FOLDER_MODE): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    // The folders above belong to the one who has named them.
    makeRoot(dirname(path), 0o777);
    mkdirSync(path, mode);
  }
}

/** Takes from others what an earlier release has allowed them. A folder that all users share (sticky) is left alone. */
function hideFromOthers(root: string): void {
  const { mode } = statSync(root);
  if ((mode & OTHERS) !== 0 && (mode & STICKY) === 0) chmodSync(root, mode & 0o7777 & ~OTHERS);
}

/** Creates a folder of the store and those above it, but not the store. @throws FileStoreUnavailable */
async function makeFolder(root: string, folder: string): Promise<void> {
  if (folder === root) return requireRoot(root);
  try {
    await mkdir(folder, FOLDER_MODE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(root, dirname(folder));
    await mkdir(folder, FOLDER_MODE).catch((reason) => {
      if (codeOf(reason) !== 'EEXIST') throw reason;
    });
  }
}

/** @throws FileStoreUnavailable */
async function requireRoot(root: string): Promise<void> {
  const found = await stat(root).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new FileStoreUnavailable(root);
  });
  if (!found.isDirectory()) throw new FileStoreUnavailable(root);
}

/** Translates the error of a file that could not be found. @throws FileMissing if the store itself is there */
async function throwMissing(root: string, key: string, error: unknown): Promise<never> {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
  await requireRoot(root);
  throw new FileMissing(key);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function createScratch(root: string): Promise<ScratchFile> {
  await requireRoot(root);
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

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
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
