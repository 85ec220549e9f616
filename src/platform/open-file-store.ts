/** Opens the file store that the configuration names. */
import type { StorageConfig } from '../config/storage-config.js';
import type { FileStore } from './file-store.js';
import { createLocalFileStore } from './local-file-store.js';
import { createS3FileStore } from './s3-store.js';

/** All processes of an installation must be given the same store. */
export function openFileStore({ s3, directory, timeoutMs }: StorageConfig): FileStore {
  return s3 === undefined ? createLocalFileStore(directory, timeoutMs) : createS3FileStore(s3, directory, timeoutMs);
}
