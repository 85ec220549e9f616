/** Opens the folder of a feed with its secret, and keeps the key that a server shows first. */
import type { Db } from '../../../db/connection.js';
import {
  type Connection,
  RemoteFailure,
  type RemoteFile,
  type RemoteFolder,
} from '../../platform/remote/remote-folder.js';
import { unlessLost } from '../access/sealed-secret.js';
import { type FeedServices, openFolderOf } from './feed-environment.js';
import { openSecrets } from './feed-secrets.js';
import type { FeedRow, SeenFile, SourceRow } from './model/feed.js';

/** @param writes whether files are sent there @throws RemoteFailure */
export async function openFeedFolder(
  { db, environment }: Pick<FeedServices, 'db' | 'environment'>,
  feed: Pick<FeedRow, 'id' | 'account_id' | 'secrets'> & Partial<Pick<SourceRow, 'seen_file'>>,
  connection: Connection,
  signal: AbortSignal,
  writes = false,
): Promise<RemoteFolder> {
  const secrets = unlessLost(() => openSecrets(environment.secretsKeys, feed));
  if (secrets === undefined) {
    const message =
      'its secret cannot be read: no key in SECRETS_KEY of this process opens it. If the key is lost, send the secret again';
    throw new RemoteFailure('REFUSED_LOGIN', message);
  }
  const { folder, hostKey } = await openFolderOf(environment, feed.account_id, connection, secrets, signal, {
    seen: seenBehind(connection, feed.seen_file),
    writes,
  });
  if (hostKey === null) return folder;
  try {
    await pin(db, feed.id, connection, hostKey);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** What was taken last behind the same address. */
function seenBehind(connection: Connection, seen: SeenFile | null | undefined): RemoteFile | undefined {
  if (connection.kind !== 'https' || !seen || seen.url !== connection.url) return undefined;
  const { name, bytes, version, modifiedAt } = seen;
  return { name, bytes, version, modifiedAt: modifiedAt === null ? null : new Date(modifiedAt) };
}

/** The key that a server has shown at the first use is the only one that is accepted from then on. */
async function pin(db: Db, id: string, connection: Connection, hostKey: string): Promise<void> {
  if (connection.kind !== 'sftp' || connection.hostKey !== null) return;
  await db('feed')
    .where({ id })
    .whereRaw("connection ->> 'hostKey' IS NULL AND connection ->> 'host' = ?", [connection.host])
    .update({ connection: JSON.stringify({ ...connection, hostKey }) });
}
