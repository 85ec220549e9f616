/** What feeds need of the process and of its operators. */
import type { FileStore } from '../../platform/file-store.js';
import { type AddressGuard, createAddressGuard } from '../../platform/guard/address-guard.js';
import { createNameResolver } from '../../platform/name-resolver.js';
import { isAllowedFolder } from '../../platform/remote/local-folder.js';
import { openRemoteFolder } from '../../platform/remote/open-remote-folder.js';
import type { Connection, Opened, RemoteFile, Secrets } from '../../platform/remote/remote-folder.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { AttemptServices } from '../jobs/attempts.js';
import { DomainError } from '../kernel/errors.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { SourceSettings } from './model/feed-settings.js';
import type { Pace } from './pace.js';

const PACE_WINDOW_MS = 5 * 60_000;

export interface FeedEnvironment {
  readonly secretsKeys: readonly string[];
  /** FEED_FOLDERS: the folders that operators allow. `{account}` stands for the id of the account. */
  readonly folders: readonly string[];
  readonly guard: AddressGuard;
  /** The most bytes of a file. */
  readonly maxBytes: number;
  /** The file store keeps so much free space for work that was already accepted. */
  readonly reserveBytes: number;
  /** How long a server may be silent. */
  readonly idleMs: number;
  /** How slowly a server may send. */
  readonly pace: Pace;
}

export interface FeedServices extends AttemptServices {
  readonly fileStore: FileStore;
  readonly environment: FeedEnvironment;
  /** Enqueues what is committed; with nothing to enqueue, what may be due in the site. */
  readonly follow: (outboxEntries: readonly OutboxEntry[], siteId: number) => Promise<void>;
}

/** The parts of the configuration that feeds need. */
interface FeedConfig {
  readonly secretsKeys: readonly string[];
  readonly feedFolders: readonly string[];
  readonly uploadMaxBytes: number;
  readonly uploadIdleMs: number;
  readonly feedLeastBytesPerSecond: number;
  readonly storageReserveBytes: number;
  readonly webhooks: { readonly allowedNetworks: readonly string[] };
}

export function feedEnvironment(
  config: FeedConfig,
  resolveName: (name: string) => Promise<readonly string[]> = createNameResolver(),
): FeedEnvironment {
  const { allowedNetworks } = config.webhooks;
  return {
    secretsKeys: config.secretsKeys,
    folders: config.feedFolders,
    guard: createAddressGuard({ allowedNetworks, resolveName }),
    maxBytes: config.uploadMaxBytes,
    reserveBytes: config.storageReserveBytes,
    idleMs: config.uploadIdleMs,
    pace: { leastBytesPerSecond: config.feedLeastBytesPerSecond, windowMs: PACE_WINDOW_MS },
  };
}

/** @throws DomainError invalid when an account may not use the folder of a connection */
export function requireAllowed({ folders }: FeedEnvironment, accountId: string, connection: FeedConnection): void {
  if (connection.kind !== 'folder' || isAllowedFolder(connection.path, ofAccount(folders, accountId))) return;
  throw wrongMember(
    'connection.path',
    'is not one of the folders that the operator allows to this account (FEED_FOLDERS)',
  );
}

/** @throws DomainError invalid when a file cannot be moved or deleted where it lies: each run would fail at its end */
export function requireClearable({ kind }: Connection, afterwards: SourceSettings['afterwards']): void {
  if (kind !== 'https' || afterwards === 'leave') return;
  throw wrongMember('afterwards', 'a file behind https can be neither moved nor deleted: expected "leave"');
}

/** What is wrong with a member of a body. */
export function wrongMember(path: string, message: string): DomainError {
  return new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: ${path}: ${message}`, {
    problems: [{ path, code: 'FIELD_INVALID', message }],
  });
}

function ofAccount(folders: readonly string[], accountId: string): string[] {
  return folders.map((path) => path.replaceAll('{account}', accountId));
}

/**
 * @param how `seen`: a file behind https as it was when it was taken; `writes`: whether files are sent there
 * @throws RemoteFailure
 */
export function openFolderOf(
  { folders, guard, idleMs }: FeedEnvironment,
  accountId: string,
  connection: Connection,
  secrets: Secrets,
  signal: AbortSignal,
  how: { readonly seen?: RemoteFile | undefined; readonly writes?: boolean } = {},
): Promise<Opened> {
  const limits = { folders: ofAccount(folders, accountId), idleMs, ...how };
  return openRemoteFolder(connection, secrets, guard, limits, signal);
}
