/** The bytes of a file of the store, as the readers of all formats ask for them. */
import type { FileStore } from '../../../platform/file-store.js';
import type { UploadInput } from './source-input.js';

/** @param key of a file that is there: what reads it throws FileMissing if it is not */
export function storedBytes(
  fileStore: FileStore,
  key: string,
): Pick<UploadInput, 'openUpload' | 'openRanges' | 'createScratch'> {
  return {
    openUpload: () => fileStore.read(key),
    openRanges: async () => ({
      size: await fileStore.requireSize(key),
      readRange: (start, end) => fileStore.readRange(key, start, end),
    }),
    createScratch: () => fileStore.createScratch(),
  };
}
