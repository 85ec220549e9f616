/** Writes a file of the store, by one request or by a multipart upload. */
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PendingFile } from '../file-store.js';
import type { Bucket } from './bucket.js';
import { ignore, MultipartUpload } from './multipart-upload.js';
import { CHUNK_BYTES } from './read-stream.js';

const FIRST_BUFFER_BYTES = 64 * 1024;

/** A file is written by one request at its commit if it is small, otherwise by a multipart upload that the commit ends. */
export async function createPending(bucket: Bucket, key: string): Promise<PendingFile> {
  const upload = new MultipartUpload(bucket, key);
  let part: Buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_BUFFER_BYTES, upload.partBytes));
  let filled = 0;
  let bytes = 0;
  const append = async (chunk: Buffer): Promise<void> => {
    bytes += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      if (filled === part.length && filled < upload.partBytes) part = enlarged(part, upload.partBytes);
      const copied = chunk.copy(part, filled, at);
      filled += copied;
      at += copied;
      if (filled < upload.partBytes) continue;
      await upload.send(part);
      part = Buffer.allocUnsafeSlow(upload.partBytes);
      filled = 0;
    }
  };
  const finish = async (): Promise<void> => {
    if (upload.hasBegun && filled > 0) await upload.send(part.subarray(0, filled));
    await upload.sent();
  };
  const stream = new Writable({
    highWaterMark: CHUNK_BYTES,
    write: (chunk: Buffer, _encoding, done) => {
      append(chunk).then(() => done(), done);
    },
    final: (done) => {
      finish().then(() => done(), done);
    },
  });
  return {
    stream,
    commit: async () => {
      if (upload.hasBegun) await upload.complete(bytes);
      else await bucket.put(key, part.subarray(0, filled));
    },
    discard: async () => {
      stream.on('error', ignore);
      stream.destroy();
      if (!stream.closed) await finished(stream).catch(ignore);
      // What cannot be aborted now is aborted as abandoned.
      await upload.abort().catch(ignore);
    },
  };
}

function enlarged(part: Buffer, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, part.length * 2));
  part.copy(larger);
  return larger;
}
