/** The file store: files are written atomically, and read as streams, in whole or in part. */
import type { Readable, Writable } from 'node:stream';

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
