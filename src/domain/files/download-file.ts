/** Checks whether a file can be downloaded. */
import type { File } from '../../../db/models/file.js';
import { DomainError } from '../kernel/errors.js';

/** @returns the key of its bytes. @throws DomainError conflict (never uploaded) or gone (deleted) */
export function requireBytes(file: File): string {
  if (file.status === 'DELETED') throw bytesGone(file.id);
  if (file.status !== 'UPLOADED' || file.storage_key === null) {
    const message = `the file ${file.id} was not uploaded${file.status === 'EXPIRED' ? ' in time' : ' yet'}, so there is nothing to download`;
    throw new DomainError('conflict', 'FILE_NOT_UPLOADED', message);
  }
  return file.storage_key;
}

/** The error for a file whose bytes are no longer in the store. */
export function bytesGone(fileId: string): DomainError {
  return new DomainError('gone', 'FILE_GONE', `the bytes of the file ${fileId} are no longer kept`);
}
