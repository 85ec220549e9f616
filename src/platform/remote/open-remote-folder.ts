/** Opens the folder that a connection describes. Each kind of connection is registered here. */
import type { AddressGuard } from '../guard/address-guard.js';
import { openHttpsFile } from './https-file.js';
import { openHttpsTarget } from './https-target.js';
import { openLocalFolder } from './local-folder.js';
import type { Connection, Opened, RemoteLimits, Secrets } from './remote-folder.js';
import { openS3Folder } from './s3-folder.js';
import { openSftpFolder } from './sftp-folder.js';

type Open<Kind extends Connection['kind']> = (
  connection: Extract<Connection, { readonly kind: Kind }>,
  secrets: Secrets,
  guard: AddressGuard,
  limits: RemoteLimits,
  signal: AbortSignal,
) => Promise<Opened>;

const KINDS: { readonly [Kind in Connection['kind']]: Open<Kind> } = {
  folder: async (connection, _secrets, _guard, { folders }) => openLocalFolder(connection, folders),
  https: (connection, secrets, guard, { idleMs, seen, writes }) =>
    writes === true
      ? openHttpsTarget(connection, secrets, { guard, idleMs })
      : openHttpsFile(connection, secrets, { guard, idleMs }, seen),
  sftp: (connection, secrets, guard, { idleMs }, signal) =>
    openSftpFolder(connection, secrets, { guard, idleMs }, signal),
  s3: (connection, secrets, guard, { idleMs }) => openS3Folder(connection, secrets, { guard, idleMs }),
};

/** @throws RemoteFailure */
export async function openRemoteFolder(
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
