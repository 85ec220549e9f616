/** Keeps the key that an SFTP server has shown. */
import type { Db } from '../../../db/connection.js';
import type { FeedRow } from './model/feed.js';

/** The key that a server has shown at the first use is the only one that is accepted from then on. */
export async function pinHostKey(
  db: Db,
  { id, connection }: Pick<FeedRow, 'id' | 'connection'>,
  hostKey: string,
): Promise<void> {
  if (connection.kind !== 'sftp' || connection.hostKey !== null) return;
  await db('feed')
    .where({ id })
    .whereRaw("connection ->> 'hostKey' IS NULL AND connection ->> 'host' = ?", [connection.host])
    .update({ connection: JSON.stringify({ ...connection, hostKey }) });
}
