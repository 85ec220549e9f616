/** Pauses a feed that may do nothing any more, and tells it once. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { FeedRow } from './model/feed.js';
import { tellFailure } from './tell-failure.js';

/**
 * Nothing is started any more until somebody saves the feed again. The transaction has locked its row.
 * @param jobId of the run that has found it; null: none has
 * @returns what to enqueue after the commit
 */
export async function pauseFeed(
  trx: Knex.Transaction,
  feed: FeedRow,
  jobId: string | null,
  reason: string,
): Promise<OutboxEntry[]> {
  if (feed.state === 'PAUSED') return [];
  await trx('feed')
    .where({ id: feed.id })
    .update({ state: 'PAUSED', pause_reason: reason, next_run_at: null, asked_for: null, updated_at: trx.fn.now() });
  return tellFailure(trx, feed, { jobId, code: 'FEED_PAUSED', message: reason, failures: feed.failures, next: null });
}
