/** Opens the folder that a connection describes. Each kind of connection is registered here. */
import { openLocalFolder } from './local-folder.js';
import {
  type AddressGuard,
  type Connection,
  type Opened,
  RemoteFailure,
  type RemoteLimits,
  type Secrets,
} from './remote-folder.js';

type Open<Kind extends Connection['kind']> = (
  connection: Extract<Connection, { readonly kind: Kind }>,
  secrets: Secrets,
  guard: AddressGuard,
  limits: RemoteLimits,
  signal: AbortSignal,
) => Promise<Opened>;

const KINDS: { readonly [Kind in Connection['kind']]: Open<Kind> } = {
  folder: async (connection, _secrets, _guard, { folders }) => openLocalFolder(connection, folders),
  https: notYet,
  sftp: notYet,
  s3: notYet,
};

/** @throws RemoteFailure */
export function openRemoteFolder(
  connection: Connection,
  secrets: Secrets,
  guard: AddressGuard,
  limits: RemoteLimits,
  signal: AbortSignal,
): Promise<Opened> {
  signal.throwIfAborted();
  const open = KINDS[connection.kind] as Open<Connection['kind']>;
  return open(connection, secrets, guard, limits, signal);
}

async function notYet({ kind }: Connection): Promise<Opened> {
  const message = `this release does not reach ${kind} yet, only folders (kind "folder"); the feed is kept, and nothing was read`;
  throw new RemoteFailure('NOT_SUPPORTED', message);
}
