/** What the end of a run means for its feed: when it runs next, and the event of its failure. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { emitEvents } from '../webhooks/emit-events.js';
import { subscribersOf } from '../webhooks/subscribers.js';
import type { FeedFailure, FeedRow } from './model/feed.js';
import { AFTER_SECONDS, nextAfterFailure, nextRun } from './model/schedule.js';

const FAILED = subscribersOf('FEED_RUN_FAILED');

/** Notes that a run has come to its end as planned. The transaction has locked the row of the feed. */
export async function noteSuccess(trx: Knex.Transaction, feed: FeedRow, movedFiles: boolean): Promise<void> {
  // The next time may be that of a grown interval: the schedule counts again, and imports that ended meanwhile.
  const isPlanned = feed.failures > 0 && feed.state === 'ACTIVE';
  const { now } = await readNow(trx, feed.site_id);
  await trx('feed')
    .where({ id: feed.id })
    .update({
      failures: 0,
      last_failure: null,
      ...(isPlanned ? { next_run_at: plannedAt(feed, now) } : {}),
      ...(movedFiles ? { last_file_at: now, expects_since: now } : {}),
    });
}

/**
 * Notes that a run has failed, or a look. The transaction has locked the row of the feed.
 * @param jobId null: of a look
 * @returns what to enqueue after the commit
 */
export async function noteFailure(
  trx: Knex.Transaction,
  feed: FeedRow,
  jobId: string | null,
  failure: FeedFailure,
  movedFiles: boolean,
): Promise<OutboxEntry[]> {
  const failures = feed.failures + 1;
  const { now, subscribed } = await readNow(trx, feed.site_id);
  const next = feed.state === 'ACTIVE' ? nextAfterFailure(feed.schedule, failures, now, follows(feed)) : null;
  await trx('feed')
    .where({ id: feed.id })
    .update({
      failures,
      last_failure: JSON.stringify(failure),
      next_run_at: next,
      ...(movedFiles ? { last_file_at: now, expects_since: now } : {}),
    });
  if (!subscribed) return [];
  const { id: feedId, name, channel } = feed;
  const nextRunAt = next?.toISOString() ?? null;
  const event = FAILED.event('FEED_RUN_FAILED', { feedId, name, jobId, ...failure, failures, nextRunAt }, { channel });
  const origin = { siteId: feed.site_id, accountId: feed.account_id };
  return (await emitEvents(trx, origin, [event])).outboxEntries;
}

function plannedAt({ schedule, after_ends: isDue }: FeedRow, now: Date): Date | null {
  const planned = schedule === null ? null : nextRun(schedule, now);
  if (!isDue) return planned;
  const soon = now.getTime() + AFTER_SECONDS * 1000;
  return new Date(Math.min(soon, planned?.getTime() ?? soon));
}

function follows(feed: FeedRow): boolean {
  return feed.direction === 'DESTINATION' && feed.after_feed_id !== null;
}

async function readNow(trx: Knex.Transaction, siteId: number): Promise<{ now: Date; subscribed: boolean }> {
  const { rows } = await trx.raw<{ rows: { now: Date; subscribed: boolean }[] }>(
    `SELECT now() AS now, ${FAILED.isAnySubscribed(':siteId')} AS subscribed`,
    { siteId },
  );
  return rows[0] ?? { now: new Date(), subscribed: false };
}
