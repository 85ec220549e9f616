/** The secrets of feeds, which are stored sealed and never shown. */
import type { Secrets } from '../../platform/remote/remote-folder.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { sealSecret, unsealSecret } from '../access/sealed-secret.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { FeedRow } from './model/feed.js';
import { secretsSchema } from './model/feed-settings.js';

const NONE: Secrets = { secret: null, passphrase: null };

export function sealSecrets(secretsKeys: readonly string[], feedId: string, secrets: Secrets): string | null {
  if (secrets.secret === null) return null;
  return sealSecret(secretsKeys, placeOf(feedId), JSON.stringify({ passphrase: null, ...secrets }));
}

/** @throws UnsealError */
export function openSecrets(secretsKeys: readonly string[], { id, secrets }: Pick<FeedRow, 'id' | 'secrets'>): Secrets {
  return secrets === null ? NONE : secretsSchema.parse(JSON.parse(unsealSecret(secretsKeys, placeOf(id), secrets)));
}

export const SECRETS_OF_FEEDS: readonly SealedColumn[] = [{ table: 'feed', column: 'secrets', place: 'secrets' }];

/**
 * To whom a secret is sent. It stays with a connection only while this is the same: who may change a feed must not be
 * able to have a secret sent elsewhere that was never shown to them.
 */
export function recipientOf(connection: FeedConnection): string {
  switch (connection.kind) {
    case 'https':
      return JSON.stringify(['https', new URL(connection.url).origin, connection.auth ?? null]);
    case 'sftp':
      return JSON.stringify(['sftp', connection.host, connection.port, connection.user, connection.hostKey]);
    case 's3':
      return JSON.stringify(['s3', connection.endpoint, connection.region, connection.bucket, connection.accessKeyId]);
    case 'folder':
    case 'published':
      return JSON.stringify([connection.kind]);
  }
}

function placeOf(feedId: string): string {
  return `feed ${feedId} secrets`;
}
