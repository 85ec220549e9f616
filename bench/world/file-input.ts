/** Files in a local folder, and in memory, as sources of inspections. */
import { Readable } from 'node:stream';
import { DEFAULT_LIMITS } from '../../src/domain/formats/model/source-limits.js';
import type { TableInput } from '../../src/domain/formats/table/table.js';
import { createLocalFileStore } from '../../src/platform/local-file-store.js';

/** @param key the name of a CSV file in the folder */
export function fileInput(folder: string, key: string): TableInput {
  const store = createLocalFileStore(folder);
  return {
    format: 'CSV',
    gzip: false,
    options: {},
    limits: DEFAULT_LIMITS,
    signal: new AbortController().signal,
    openUpload: () => store.read(key),
    openRanges: async () => ({
      size: await store.requireSize(key),
      readRange: (start, end) => store.readRange(key, start, end),
    }),
    createScratch: () => store.createScratch(),
  };
}

/** A CSV file in memory. */
export function bytesInput(bytes: Buffer): TableInput {
  return {
    format: 'CSV',
    gzip: false,
    options: {},
    limits: DEFAULT_LIMITS,
    signal: new AbortController().signal,
    openUpload: async () => Readable.from([bytes]),
    openRanges: () => Promise.reject(new Error('a CSV file is read from its start')),
    createScratch: () => Promise.reject(new Error('the file is too small to need a scratch file')),
  };
}
