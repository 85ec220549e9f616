/** The file store: files are written atomically, and read as streams, in whole or in part. */

import { randomBytes } from 'node:crypto';
import { readSync, type Stats, writeSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StoreCalls } from './store-calls.js';

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
  /** How clients transfer files without the API. Null: they cannot. */
  readonly direct: DirectTransfers | null;
}

/** Transfers between clients and the store. An upload is put under a temporary key, named by `id`, until it is kept. */
export interface DirectTransfers {
  /** A URL to which anybody can put one object until it expires. */
  uploadUrl(id: string, expiresAt: Date): Promise<string>;
  /** @param file how it is named, and its type */
  downloadUrl(key: string, file: { name: string; contentType: string }, expiresAt: Date): Promise<string>;
  /** What has arrived; null: nothing yet. */
  findUpload(id: string): Promise<ArrivedUpload | null>;
  /** Copies what has arrived to a key of the store. @returns false when something else lies there by now, or nothing */
  keepUpload(id: string, arrived: ArrivedUpload, key: string): Promise<boolean>;
  /** Without effect if nothing has arrived. */
  removeUpload(id: string): Promise<void>;
}

interface ArrivedUpload {
  readonly bytes: number;
  /** Tells these bytes from others. */
  readonly etag: string;
}

export class FileMissing extends Error {
  override readonly name = 'FileMissing';
  constructor(readonly key: string) {
    super(`the file store has no file ${key}`);
  }
}

/** The store fails: its folder was not mounted or was moved, or its server refuses. Nothing is known about its files. */
export class FileStoreUnavailable extends Error {
  override readonly name = 'FileStoreUnavailable';
  readonly code: 'STORE_UNAVAILABLE' | 'STORE_FULL' = 'STORE_UNAVAILABLE';
  /** @param cure what an operator can do, if that is known */
  constructor(
    message: string,
    readonly cure?: string,
  ) {
    super(message);
  }
}

function folderGone(root: string): FileStoreUnavailable {
  return new FileStoreUnavailable(`the folder of the file store does not exist: ${root}`);
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

class StoreFolder {
  readonly #calls: StoreCalls;
  readonly #prepared: Promise<void>;

  constructor(
    readonly root: string,
    limitMs?: number,
  ) {
    this.#calls = new StoreCalls(limitMs);
    this.#prepared = this.#prepare();
  }

  /** The calls of the store, as soon as its folder has been created. */
  async calls(): Promise<StoreCalls> {
    await this.#prepared;
    return this.#calls;
  }

  readonly pathOf = (key: string): string => {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new Error(`a file key may not leave the store: ${key}`);
    return path;
  };

  /** @throws FileMissing */
  async stat(key: string): Promise<Stats> {
    const calls = await this.calls();
    return calls.run('looking at a file', () => stat(this.pathOf(key))).catch((error) => this.throwMissing(key, error));
  }

  /** Translates the error of a file that could not be found. @throws FileMissing if the store itself is there */
  async throwMissing(key: string, error: unknown): Promise<never> {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
    await requireRoot(this.#calls, this.root);
    throw new FileMissing(key);
  }

  async #prepare(): Promise<void> {
    try {
      await makeRoot(this.#calls, this.root);
      await hideFromOthers(this.#calls, this.root);
    } catch {
      // Each use of the store says so.
    }
  }
}

async function createPending(calls: StoreCalls, root: string, path: string): Promise<PendingFile> {
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

const READ_BYTES = 64 * 1024;

/** @param range bytes [start, end); default: all */
function readStream(calls: StoreCalls, handle: FileHandle, range?: { start: number; end: number }): Readable {
  let at = range?.start ?? 0;
  const end = range?.end ?? Number.POSITIVE_INFINITY;
  return new Readable({
    highWaterMark: READ_BYTES,
    read(size) {
      const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(size, end - at)));
      if (buffer.length === 0) {
        this.push(null);
        return;
      }
      calls.read(handle, buffer, 0, at).then(
        (bytesRead) => {
          at += bytesRead;
          this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
        },
        (error) => this.destroy(error),
      );
    },
    destroy: (error, done) => {
      calls.close(handle).then(
        () => done(error),
        (reason) => done(error ?? reason),
      );
    },
  });
}

/** Without effect if there is no such file. */
async function remove(calls: StoreCalls, path: string): Promise<void> {
  await calls.run('removing a file', () => rm(path, { force: true }));
}

/** If the process dies meanwhile, the file is removed with those of abandoned uploads. */
async function ping(calls: StoreCalls, root: string): Promise<void> {
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

/** Like `mkdir -p`. Node's option `recursive` never returns if a parent exists but allows no new folders, as in /proc. */
async function makeRoot(calls: StoreCalls, path: string, mode = FOLDER_MODE): Promise<void> {
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
async function hideFromOthers(calls: StoreCalls, root: string): Promise<void> {
  const { mode } = await calls.run('looking at the folder', () => stat(root));
  if ((mode & OTHERS) === 0 || (mode & STICKY) !== 0) return;
  await calls.run('restricting the folder', () => chmod(root, mode & 0o7777 & ~OTHERS));
}

/** Creates a folder of the store and those above it, but not the store. @throws FileStoreUnavailable */
async function makeFolder(calls: StoreCalls, root: string, folder: string): Promise<void> {
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
async function requireRoot(calls: StoreCalls, root: string): Promise<void> {
  const found = await calls
    .run('looking at the folder', () => stat(root))
    .catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw folderGone(root);
    });
  if (!found.isDirectory()) throw folderGone(root);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

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

/** Waits until the stream is closed. */
async function closed(stream: Writable): Promise<void> {
  stream.on('error', ignore);
  stream.destroy();
  if (!stream.closed) await finished(stream).catch(ignore);
}

/** Errors of a discarded stream are not reported: the caller that discards it knows the cause. */
function ignore(): void {}

/** Folder by folder, so that each call is short. */
async function removeAbandoned(calls: StoreCalls, folder: string, before: number): Promise<void> {
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

/** A rename is durable once its directory is on disk. */
async function syncDirectory(calls: StoreCalls, path: string): Promise<void> {
  const handle = await calls.open(path, 'r');
  try {
    await calls.sync(handle, 0);
  } finally {
    await calls.close(handle);
  }
}

async function readRange(calls: StoreCalls, handle: FileHandle, start: number, end: number): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(end - start);
    let filled = 0;
    while (filled < buffer.length) {
      const bytesRead = await calls.read(handle, buffer, filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await calls.close(handle);
  }
}
