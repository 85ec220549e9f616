/** Refuses files and rows beyond the quotas of an account, and files before the file store is full, so that there is space for the work that was already accepted. */
import { DomainError } from '../domain/kernel/errors.js';
import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

type StoreServices = Pick<ApiServices, 'config' | 'fileStore'>;
type Requesting = Pick<ApiRequest, 'principal'>;

/** Checks the quota of queued rows of an account, if it has one. @throws DomainError busy */
export async function requireRows({ principal }: Requesting, { quotas }: ApiServices, rows: number): Promise<void> {
  if (principal.kind === 'account') await quotas.requireRows(principal.accountId, principal.quotas, rows);
}

/** Checks the quota of stored bytes of an account, if it has one, and the room of the store. @throws DomainError busy */
export async function requireRoomFor({ principal }: Requesting, services: ApiServices): Promise<void> {
  if (principal.kind === 'account') await services.quotas.requireBytes(principal.accountId, principal.quotas, 0);
  await requireRoom(services);
}

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
