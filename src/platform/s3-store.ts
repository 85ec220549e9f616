/** A file store in a bucket of S3, or of a store with the same API. It is used by all processes, on any machine. */
import type { S3Location } from '../config/storage-config.js';
import { FileMissing, type FileStore } from './file-store.js';
import { createScratch } from './local-store/scratch-file.js';
import { Bucket } from './s3/bucket.js';
import { directTransfers } from './s3/direct-transfers.js';
import { abortAbandoned, ping, removeTemporary } from './s3/maintenance.js';
import { createPending } from './s3/pending-file.js';
import { readStream } from './s3/read-stream.js';
import { StoreCalls } from './store-calls.js';

const TEMPORARY_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Creates a file store in a bucket that exists.
 * @param scratchFolder a local folder for scratch files
 * @param limitMs how long the store may take to answer
 */
export function createS3FileStore(location: S3Location, scratchFolder: string, limitMs?: number): FileStore {
  const bucket = new Bucket(location, limitMs);
  const local = new StoreCalls(limitMs);
  return {
    create: async (key) => createPending(bucket, bucket.keyOf(key)),
    createScratch: () => createScratch(local, scratchFolder),
    read: async (key, range) => readStream(bucket, bucket.keyOf(key), range),
    readRange: async (key, start, end) => (await bucket.read(bucket.keyOf(key), start, end)).bytes,
    size: async (key) => (await bucket.find(bucket.keyOf(key)))?.bytes ?? null,
    requireSize: async (key) => {
      const found = await bucket.find(bucket.keyOf(key));
      if (found === null) throw new FileMissing(key);
      return found.bytes;
    },
    remove: (key) => bucket.remove(bucket.keyOf(key)),
    removeAbandoned: async (idleMs) => {
      await abortAbandoned(bucket, Date.now() - idleMs);
      await removeTemporary(bucket, Date.now() - TEMPORARY_MS);
    },
    ping: () => ping(bucket),
    freeBytes: async () => (bucket.isFull() ? 0 : Number.POSITIVE_INFINITY),
    direct: location.direct ? directTransfers(bucket) : null,
  };
}
