/**
 * Deadlines for the calls of a file store. A file system that hangs, such as a network file system without its server,
 * answers with neither a result nor an error, and each call that waits for it occupies a thread of the process.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { within } from './concurrency/within.js';

/** The store has not answered in time. It may still do what was asked of it. */
export class FileStoreSilent extends Error {
  override readonly name = 'FileStoreSilent';
  readonly code = 'STORE_TIMEOUT';
  constructor(what: string, afterMs: number) {
    super(`the file store does not answer: ${what} has waited for ${Math.round(afterMs)} ms`);
  }
}

/** How long the store may take for a call that moves no bytes. */
const LIMIT_MS = 10_000;
/** What it moves at least, in addition: 8 MiB/s. */
const LEAST_BYTES_PER_MS = 8_389;
/** A process has four threads for calls that block. The last one is left to everything else, such as looking up names. */
const MOST_UNDERWAY = 3;

/** How long a call may take that moves so many bytes. @param limitMs what it may take if it moves none */
export function limitOf(bytes: number, limitMs = LIMIT_MS): number {
  return limitMs + bytes / LEAST_BYTES_PER_MS;
}

interface CallOptions<T> {
  /** How much it moves. */
  readonly bytes?: number;
  /** The file that it concerns: it is not closed before the call has come back. */
  readonly handle?: FileHandle;
  /** Releases the result of a call that comes back too late. */
  readonly release?: (result: T) => Promise<void>;
}

/** How many calls of all stores of this process have succeeded: a store that is slow is one that works. */
export const storeCalls = { succeeded: 0 };

/** The calls of all stores of this process that have not come back. */
const underway = new Set<Promise<unknown>>();

/** Whether all calls of file stores come back within `ms`. Node does not exit while a thread is blocked by one. */
export async function storeCallsReturn(ms: number): Promise<boolean> {
  return underway.size === 0 || within(Promise.allSettled(underway), ms);
}

/** The calls of one store. */
export class StoreCalls {
  readonly #limitMs: number;
  readonly #stuck = new WeakSet<FileHandle>();
  readonly #waiting: { readonly begin: () => void; readonly fail: () => void }[] = [];
  #underway = 0;
  #late = 0;

  /** @param limitMs for tests */
  constructor(limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  /**
   * Makes a call. It may have to wait for others, whose deadlines bound that time.
   * @param what for the message of the error: an operation
   * @throws FileStoreSilent, at once while earlier calls occupy all threads that the store may use
   */
  async run<T>(what: string, work: () => Promise<T>, options: CallOptions<T> = {}): Promise<T> {
    if (this.#underway < MOST_UNDERWAY) this.#underway++;
    else await this.#turn(what);
    const { bytes = 0, handle, release } = options;
    const limitMs = limitOf(bytes, this.#limitMs);
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        if (handle !== undefined) this.#stuck.add(handle);
        this.#late++;
        if (this.#late >= MOST_UNDERWAY) for (const { fail } of this.#waiting.splice(0)) fail();
        reject(new FileStoreSilent(what, limitMs));
      }, limitMs);
    });
    const called = work();
    underway.add(called);
    called
      .then(async (result) => {
        storeCalls.succeeded++;
        if (isLate) await release?.(result);
      })
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        underway.delete(called);
        if (isLate) this.#late--;
        const next = this.#waiting.shift();
        if (next === undefined) this.#underway--;
        else next.begin();
      });
    return Promise.race([called, silence]);
  }

  async open(path: string, flags: string | number, mode?: number): Promise<FileHandle> {
    return this.run('opening a file', () => open(path, flags, mode), { release: (handle) => handle.close() });
  }

  /** A file in which a call hangs is closed when the call comes back: before, its number may not be given to another. */
  async close(handle: FileHandle): Promise<void> {
    if (this.#stuck.has(handle)) void handle.close().catch(() => undefined);
    else await this.run('closing a file', () => handle.close(), { handle });
  }

  /** Appends bytes. @returns how many were written */
  write(handle: FileHandle, bytes: Uint8Array): Promise<number> {
    const write = async () => (await handle.write(bytes)).bytesWritten;
    return this.run('writing', write, { handle, bytes: bytes.length });
  }

  /** @returns how many bytes were read; 0 at the end of the file */
  async read(handle: FileHandle, buffer: Uint8Array, offset: number, position: number): Promise<number> {
    const length = buffer.length - offset;
    const read = async () => (await handle.read(buffer, offset, length, position)).bytesRead;
    return this.run('reading', read, { handle, bytes: length });
  }

  /** @param bytes how much has been written to the file since the last time */
  async sync(handle: FileHandle, bytes: number): Promise<void> {
    await this.run('writing to the disk', () => handle.sync(), { handle, bytes });
  }

  #turn(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new FileStoreSilent(what, this.#limitMs));
      if (this.#late >= MOST_UNDERWAY) fail();
      else this.#waiting.push({ begin: resolve, fail });
    });
  }
}
