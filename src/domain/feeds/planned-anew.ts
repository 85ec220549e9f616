/** When a feed runs after somebody has saved it: by its schedule, and soon what it owes since an earlier run. */
import type { Knex } from 'knex';
import type { FeedRow } from './model/feed.js';
import type { FeedSettings } from './model/feed-settings.js';
import { nextPlanned } from './model/schedule.js';

/** When a feed that has failed is tried after it was saved. */
const TRIED_ANEW_MS = 60_000;

export function dueAfter({ schedule, state }: FeedSettings, hasEnded: boolean, now: Date): Date | null {
  return state === 'PAUSED' ? null : nextPlanned(schedule, hasEnded, now);
}

/**
 * The columns that say when it runs. What was wrong may be right now: the breaker is closed, and a feed that has failed is tried
 * soon; and one that goes on looks soon at files that were not complete when it was paused.
 * @param followed the source that a destination follows from now on
 */
export async function plannedAnew(
  trx: Knex.Transaction,
  before: FeedRow,
  settings: FeedSettings,
  followed: string | null,
  now: Date,
) {
  const isSame = followed === followedBy(before);
  const { last_failure: last } = before;
  const hasFailed = before.failures > 0 && last !== null && last.kind !== 'file';
  // A file that could not be sent is made anew: it may be days old.
  const hasEnded = isSame && (before.after_ends || (hasFailed && followed !== null));
  const isOtherwise = JSON.stringify(settings.schedule) !== JSON.stringify(before.schedule);
  const isPlanned = before.state !== settings.state || isOtherwise || hasEnded !== before.after_ends;
  const next = isPlanned ? dueAfter(settings, hasEnded, now) : before.next_run_at;
  const owes = hasFailed || (isPlanned && before.left_over > 0);
  const isTried = owes && settings.state === 'ACTIVE' && (await runsByItself(trx, before, settings, followed));
  const soon = new Date(now.getTime() + TRIED_ANEW_MS);
  return {
    ...{ after_ends: hasEnded, next_run_at: isTried && (next === null || next > soon) ? soon : next },
    ...(isPlanned && !owes ? { failures: 0 } : {}),
    ...(hasFailed ? { last_failure: JSON.stringify({ ...last, times: 0 }) } : {}),
  };
}

/** The source after whose imports a destination runs. */
export function followedBy(feed: FeedRow): string | null {
  return feed.direction === 'DESTINATION' ? feed.after_feed_id : null;
}

/** Whether something else than a request runs it: then nobody sees that it has failed. */
async function runsByItself(
  trx: Knex.Transaction,
  { id }: FeedRow,
  { schedule }: FeedSettings,
  followed: string | null,
): Promise<boolean> {
  return schedule !== null || followed !== null || (await hasTrigger(trx, id));
}

/** Whether it has an address that runs it: then nobody waits for its answer, and it is tried again by itself. */
export async function hasTrigger(trx: Knex.Transaction, feedId: string): Promise<boolean> {
  return (await trx('feed_trigger').where({ feed_id: feedId }).first('id')) !== undefined;
}
