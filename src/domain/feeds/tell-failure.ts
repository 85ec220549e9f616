/** Tells subscribers that a feed has failed. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { emitEvents } from '../webhooks/emit-events.js';
import { subscribersOf } from '../webhooks/subscribers.js';
import type { FeedRow } from './model/feed.js';
import type { FeedFailure } from './model/feed-failure.js';

const FAILED = subscribersOf('FEED_RUN_FAILED');

interface Reported extends FeedFailure {
  /** Null: of a look, or of the feed itself. */
  readonly jobId: string | null;
  readonly failures: number;
  readonly next: Date | null;
}

/** @returns what to enqueue after the commit */
export async function tellFailure(
  trx: Knex.Transaction,
  { id: feedId, name, channel, site_id: siteId, account_id: accountId }: FeedRow,
  { jobId, code, message, failures, next }: Reported,
): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw<{ rows: { subscribed: boolean }[] }>(
    `SELECT ${FAILED.isAnySubscribed(':siteId')} AS subscribed`,
    { siteId },
  );
  if (rows[0]?.subscribed !== true) return [];
  const nextRunAt = next?.toISOString() ?? null;
  const payload = { feedId, name, jobId, code, message, failures, nextRunAt };
  const event = FAILED.event('FEED_RUN_FAILED', payload, { channel });
  return (await emitEvents(trx, { siteId, accountId }, [event])).outboxEntries;
}
