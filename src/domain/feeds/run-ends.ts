/** What the end of a run means for its feed: when it runs next, and the event of its failure. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { readNow } from './feed-rows.js';
import type { FeedRow } from './model/feed.js';
import { type Failing, timesFailed } from './model/feed-failure.js';
import type { RunCause } from './model/feed-run-job.js';
import { nextAfterFailure, nextAfterLasting, nextForGrowing, nextPlanned } from './model/schedule.js';
import { followedBy, hasTrigger } from './planned-anew.js';
import { tellFailure } from './tell-failure.js';

/** What a run leaves behind. */
export interface LeftBehind {
  /** It has taken or sent a file. */
  readonly moved: boolean;
  /** Files that were not complete; `growing`: that were changed while they were looked at. */
  readonly waiting: 'none' | 'unmarked' | 'growing';
}

const NOTHING: LeftBehind = { moved: false, waiting: 'none' };

/**
 * Notes that a run has come to its end as planned, but for files that are at fault. The transaction has locked the row of the feed.
 * @param fault of a file, that of others which were taken
 * @returns what to enqueue after the commit
 */
export async function noteSuccess(
  trx: Knex.Transaction,
  feed: FeedRow,
  jobId: string,
  left: LeftBehind,
  fault: Failing | null,
): Promise<OutboxEntry[]> {
  const now = await readNow(trx);
  const again = await lookAgain(trx, feed, left, now);
  // The next time may be that of a grown interval: the schedule counts again, and imports that ended meanwhile.
  const planned =
    feed.failures > 0 && feed.state === 'ACTIVE' ? nextPlanned(feed.schedule, feed.after_ends, now) : feed.next_run_at;
  const next = earlier(planned, again.at);
  await trx('feed')
    .where({ id: feed.id })
    .update({
      ...{ failures: 0, left_over: again.leftOver, next_run_at: next },
      last_failure: fault === null ? null : JSON.stringify({ ...fault, times: 0 }),
      ...(left.moved ? { last_file_at: now, expects_since: now } : {}),
    });
  return fault === null || isReported(feed, fault)
    ? []
    : tellFailure(trx, feed, { jobId, ...fault, failures: 0, next });
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
  failing: Failing,
  left: LeftBehind = NOTHING,
): Promise<OutboxEntry[]> {
  const now = await readNow(trx);
  const { code, message, kind = 'passing' } = failing;
  const failures = feed.failures + 1;
  // A file at fault says that the server works.
  const times = kind === 'file' ? 0 : timesFailed(feed) + 1;
  const again = kind === 'file' ? await lookAgain(trx, feed, left, now) : { at: null, leftOver: 0 };
  const isCalled = followedBy(feed) !== null || (await hasTrigger(trx, feed.id));
  const planned = () => (timesFailed(feed) > 0 ? nextPlanned(feed.schedule, feed.after_ends, now) : feed.next_run_at);
  const nextOf = {
    passing: () => nextAfterFailure(feed.schedule, times, now, isCalled),
    lasting: () => nextAfterLasting(feed.schedule, times, now, isCalled),
    file: () => earlier(planned(), again.at),
  };
  const next = feed.state === 'ACTIVE' ? nextOf[kind]() : null;
  await trx('feed')
    .where({ id: feed.id })
    .update({
      ...{ failures, left_over: again.leftOver, next_run_at: next },
      last_failure: JSON.stringify({ code, message, kind, times }),
      ...(left.moved ? { last_file_at: now, expects_since: now } : {}),
    });
  return isReported(feed, failing) ? [] : tellFailure(trx, feed, { jobId, code, message, failures, next });
}

/**
 * Notes that a run has ended without a look because its feed was paused: the imports after which it ran wait for the next one.
 * @param goesOn whether the feed is active, as it was resumed meanwhile
 */
export async function noteUnsent(
  trx: Knex.Transaction,
  feed: FeedRow,
  cause: RunCause,
  goesOn: boolean,
): Promise<void> {
  // One of a schedule begins when no import waits.
  if (followedBy(feed) === null || cause === 'SCHEDULE') return;
  const next = goesOn ? { next_run_at: nextPlanned(feed.schedule, true, await readNow(trx)) } : {};
  await trx('feed')
    .where({ id: feed.id })
    .update({ after_ends: true, ...next });
}

/** A file that stays as it is would be reported by each run. */
function isReported({ last_failure: last }: FeedRow, { kind, message }: Failing): boolean {
  return kind === 'file' && last?.kind === 'file' && last.message === message;
}

/** When files are looked at again that were not complete, unless the next time is sooner. */
async function lookAgain(
  trx: Knex.Transaction,
  feed: FeedRow,
  { waiting }: LeftBehind,
  now: Date,
): Promise<{ readonly at: Date | null; readonly leftOver: number }> {
  const none = { at: null, leftOver: 0 };
  const { schedule } = feed;
  if (waiting === 'none' || feed.state !== 'ACTIVE') return none;
  if (schedule === null ? !(await hasTrigger(trx, feed.id)) : 'everySeconds' in schedule) return none;
  const at = nextForGrowing(feed.left_over + 1, waiting === 'growing', now);
  return at === null ? none : { at, leftOver: Math.min(feed.left_over + 1, MOST_LEFT_OVER) };
}

/** Beyond it, nothing changes. */
const MOST_LEFT_OVER = 100;

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
