/** The source after which a destination runs, and what a change of it means for the files that it has written. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { attributeKey } from '../kernel/attribute-key.js';
import { quoted } from '../kernel/value-problem.js';
import { wrongMember } from './feed-environment.js';
import type { FeedConnection } from './model/connection-settings.js';
import type { DestinationRow } from './model/feed.js';
import type { DestinationSettings } from './model/feed-settings.js';

/**
 * The id of the source after whose imports a destination runs, locked so that it stays.
 * @throws DomainError invalid
 */
export async function sourceOf(
  trx: Knex.Transaction,
  siteId: number,
  after: DestinationSettings['after'],
): Promise<string | null> {
  if (after === null) return null;
  const found: { id: string; direction: string } | undefined = await trx('feed')
    .where({ site_id: siteId, name_key: attributeKey(after.feed) })
    .forKeyShare()
    .first('id', 'direction');
  if (found?.direction === 'SOURCE') return found.id;
  const what = found === undefined ? 'this stage has no feed' : 'a destination imports nothing: name a source, not';
  throw wrongMember('after.feed', `${what} ${quoted(after.feed)}`);
}

/**
 * After a change of what is written, or to where: a file that waits is not sent any more, and the next one is whole. What lies
 * with a former connection is left there. The transaction has locked the row of the feed.
 */
export async function beginAnew(
  trx: Knex.Transaction,
  before: DestinationRow,
  settings: DestinationSettings,
): Promise<void> {
  const moved = !isSame(placeOf(before.connection), placeOf(settings.connection));
  const { content, export: given } = before.destination;
  const rewritten = content !== settings.content || !isSame(given, settings.export);
  if (!moved && !rewritten) return;
  await trx('feed').where({ id: before.id }).update({ sent_cursor: null });
  await trx('feed_output').where({ feed_id: before.id, state: 'WAITING' }).update({ state: 'DROPPED' });
  if (moved)
    await trx('feed_output').where({ feed_id: before.id }).whereNull('gone_at').update({ gone_at: trx.fn.now() });
}

/** The key of a host is kept at its first use: that is no other place. */
function placeOf(connection: FeedConnection): FeedConnection {
  return connection.kind === 'sftp' ? { ...connection, hostKey: null } : connection;
}

/** What comes from jsonb has its members in another order. */
function isSame(stored: object, given: object): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(given)));
}
