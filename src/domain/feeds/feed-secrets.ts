/** The secrets of feeds, which are stored sealed and never shown. */
import type { Secrets } from '../../platform/remote/remote-folder.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { sealSecret, unlessLost, unsealSecret } from '../access/sealed-secret.js';
import { DomainError } from '../kernel/errors.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { FeedRow } from './model/feed.js';
import { secretsSchema } from './model/feed-settings.js';

/** The secrets that came with a request; undefined: those that are stored. */
export type GivenSecrets = Secrets | undefined;

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
function recipientOf(connection: FeedConnection): string {
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

/**
 * The secrets with which a connection is used: those that were given, or those that are stored for the same recipient.
 * @throws DomainError invalid
 */
export function secretsFor(
  stored: FeedRow,
  connection: FeedConnection,
  given: GivenSecrets,
  secretsKeys: readonly string[],
): Secrets {
  if (given !== undefined) return given;
  requireSameRecipient(stored, connection);
  const opened = unlessLost(() => openSecrets(secretsKeys, stored));
  if (opened === undefined) throw sendAgain('the key by which the stored one was encrypted is lost');
  return opened;
}

/** @throws DomainError invalid */
export function requireSameRecipient(stored: FeedRow, connection: FeedConnection): void {
  if (stored.secrets === null || recipientOf(connection) === recipientOf(stored.connection)) return;
  throw sendAgain('the stored one belongs to another server or user');
}

function sendAgain(why: string): DomainError {
  const message = `send the secret again, or null for none: ${why}`;
  return new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: secret: ${message}`, {
    problems: [{ path: 'secret', code: 'FIELD_INVALID', message }],
  });
}

function placeOf(feedId: string): string {
  return `feed ${feedId} secrets`;
}
