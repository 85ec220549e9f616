/** What the end of a run means for its feed: when it runs next, and who is told that it has failed. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { emitEvents } from '../webhooks/emit-events.js';
import { subscribersOf } from '../webhooks/subscribers.js';
import type { FeedFailure, FeedRow } from './model/feed.js';
import { nextRun } from './model/schedule.js';

/** The waits before a failed run is tried again, in minutes. */
const RETRY_MINUTES = [1, 5, 15, 30];
/** After so many failures one after another the interval grows, to this at most. */
const LONGEST_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/**
 * When a feed runs again after so many failures one after another: the first are tried again soon, in between its
 * schedule. After them the interval doubles, up to a day; it never stops. Null: it has no schedule.
 */
export function nextAfterFailure(schedule: FeedRow['schedule'], failures: number, now: Date): Date | null {
  const planned = schedule === null ? null : nextRun(schedule, now);
  if (planned === null) return null;
  const soon = RETRY_MINUTES[failures - 1];
  if (soon !== undefined) return new Date(Math.min(planned.getTime(), now.getTime() + soon * MINUTE_MS));
  const growing = Math.min(LONGEST_MINUTES, 30 * 2 ** Math.min(12, failures - RETRY_MINUTES.length));
  return new Date(now.getTime() + growing * MINUTE_MS);
}

const FAILED = subscribersOf('FEED_RUN_FAILED');

/** Notes that a run has come to its end as planned. The transaction has locked the row of the feed. */
export async function noteSuccess(trx: Knex.Transaction, feed: FeedRow, tookFiles: boolean): Promise<void> {
  // The next time may be that of a grown interval: the schedule counts again.
  const isPlanned = feed.failures > 0 && feed.schedule !== null && feed.state === 'ACTIVE';
  const { now } = await readNow(trx, feed.site_id);
  await trx('feed')
    .where({ id: feed.id })
    .update({
      failures: 0,
      last_failure: null,
      ...(isPlanned && feed.schedule !== null ? { next_run_at: nextRun(feed.schedule, now) } : {}),
      ...(tookFiles ? { last_file_at: now, expects_since: now } : {}),
    });
}

/** Notes that a run has failed. The transaction has locked the row of the feed. @returns what to enqueue after the commit */
export async function noteFailure(
  trx: Knex.Transaction,
  feed: FeedRow,
  jobId: string,
  failure: FeedFailure,
  tookFiles: boolean,
): Promise<OutboxEntry[]> {
  const failures = feed.failures + 1;
  const { now, subscribed } = await readNow(trx, feed.site_id);
  const next = feed.state === 'ACTIVE' ? nextAfterFailure(feed.schedule, failures, now) : null;
  await trx('feed')
    .where({ id: feed.id })
    .update({
      failures,
      last_failure: JSON.stringify(failure),
      next_run_at: next,
      ...(tookFiles ? { last_file_at: now, expects_since: now } : {}),
    });
  if (!subscribed) return [];
  const { id: feedId, name, channel } = feed;
  const nextRunAt = next?.toISOString() ?? null;
  const event = FAILED.event('FEED_RUN_FAILED', { feedId, name, jobId, ...failure, failures, nextRunAt }, { channel });
  const origin = { siteId: feed.site_id, accountId: feed.account_id };
  return (await emitEvents(trx, origin, [event])).outboxEntries;
}

async function readNow(trx: Knex.Transaction, siteId: number): Promise<{ now: Date; subscribed: boolean }> {
  const { rows } = await trx.raw<{ rows: { now: Date; subscribed: boolean }[] }>(
    `SELECT now() AS now, ${FAILED.isAnySubscribed(':siteId')} AS subscribed`,
    { siteId },
  );
  return rows[0] ?? { now: new Date(), subscribed: false };
}
