/** Reads a file of a local file store, as a stream or in one buffer. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { StoreCalls } from '../store-calls.js';

const READ_BYTES = 64 * 1024;

/** @param range bytes [start, end); default: all */
export function readStream(calls: StoreCalls, handle: FileHandle, range?: { start: number; end: number }): Readable {
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

export async function readRange(calls: StoreCalls, handle: FileHandle, start: number, end: number): Promise<Buffer> {
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
