/** Refuses files before the file store is full, so that there is space for the work that was already accepted. */
import { DomainError } from '../domain/kernel/errors.js';
import type { ApiServices } from './services.js';

type StoreServices = Pick<ApiServices, 'config' | 'fileStore'>;

const MEBIBYTE = 1024 * 1024;
/** A person has to free space, which takes a while. */
const RETRY_AFTER_SECONDS = 60;

/**
 * Checks that the store has more free space than the reserve.
 * @param bytes how much is about to be written, if that is known
 * @throws DomainError unavailable
 */
export async function requireRoom({ config, fileStore }: StoreServices, bytes = 0): Promise<void> {
  const free = await fileStore.freeBytes();
  if (free - bytes >= config.storageReserveBytes) return;
  const message =
    `the file store has ${Math.floor(free / MEBIBYTE)} MiB of free space, of which ` +
    `${config.storageReserveBytes / MEBIBYTE} MiB are reserved for work that was already accepted` +
    `${bytes > 0 ? `; this file needs ${Math.ceil(bytes / MEBIBYTE)} MiB` : ''}. Nothing was stored; try again later`;
  throw new DomainError('unavailable', 'STORE_FULL', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
