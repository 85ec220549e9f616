/** What follows from a look at a feed: a run, the next look, or a failure. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import type { ClaimedLook } from './claim-look.js';
import type { LookedFor } from './look-for-new.js';
import type { SourceRow } from './model/feed.js';
import type { Failing } from './model/feed-failure.js';
import { noteFailure } from './run-ends.js';
import { isRunning, startRun } from './start-run.js';

/** What a run has not taken is given to another one when so much time has passed. */
const TRY_AGAIN_MS = 60 * 60_000;

/** @returns what to enqueue after the commit */
export async function noteLook(
  trx: Knex.Transaction,
  { id, look, version }: Pick<ClaimedLook, 'id' | 'look' | 'version'>,
  outcome: LookedFor | Failing,
): Promise<OutboxEntry[]> {
  const [feed]: (SourceRow & { readonly now: Date })[] = await trx('feed')
    .where({ id, look })
    .forUpdate()
    .select('*', trx.raw('now() AS now'));
  // It was deleted, or another process has looked since then.
  if (feed === undefined) return [];
  await trx('feed').where({ id }).update({ look_until: null });
  const isAsItWas = feed.state === 'ACTIVE' && feed.version === version;
  const { schedule } = feed;
  if (!isAsItWas || schedule === null || !('everySeconds' in schedule) || (await isRunning(trx, feed))) return [];
  if ('code' in outcome) {
    await trx('feed').where({ id }).update({ looked_at: feed.now });
    return noteFailure(trx, feed, null, outcome);
  }
  const { arrived, fresh, tried } = judge(feed, outcome);
  // A file that was seen for the first time is looked at again as soon as it can have settled.
  const settles = fresh.length > 0 && arrived.length === 0;
  const seconds = settles ? Math.min(schedule.everySeconds, feed.pick.settleSeconds) : schedule.everySeconds;
  // A file at fault is so until it is gone or changed.
  const isFine = fresh.length === 0 && feed.last_failure !== null && (hasFailed(feed) || tried.length === 0);
  await trx('feed')
    .where({ id })
    .update({
      looked_at: feed.now,
      looked: JSON.stringify({ fresh, tried: [...tried, ...arrived] }),
      next_run_at: new Date(feed.now.getTime() + seconds * 1000),
      ...(isFine ? { failures: 0, last_failure: null } : {}),
    });
  if (arrived.length === 0) return [];
  const cause = hasFailed(feed) ? 'RETRY' : 'ARRIVAL';
  return startRun(trx, feed, { id: newId(), cause, lateByMinutes: 0, requestId: null });
}

interface Judged {
  /** What a run is started for. */
  readonly arrived: readonly string[];
  /** What may still be written. */
  readonly fresh: readonly string[];
  /** What a run has not taken. */
  readonly tried: readonly string[];
}

function judge(feed: SourceRow & { readonly now: Date }, { found, complete }: LookedFor): Judged {
  const isLongAgo = feed.last_run_at === null || feed.now.getTime() - feed.last_run_at.getTime() > TRY_AGAIN_MS;
  const before = new Set(hasFailed(feed) || isLongAgo ? [] : feed.looked?.tried);
  const seen = new Set(feed.looked?.fresh);
  const tried = found.filter((digest) => before.has(digest));
  const untried = found.filter((digest) => !before.has(digest));
  const arrived = untried.filter((digest) => hasFailed(feed) || complete.has(digest) || seen.has(digest));
  const fresh = untried.filter((digest) => !arrived.includes(digest));
  return { arrived, fresh, tried };
}

/** A failure of one file says nothing of the others. */
function hasFailed({ failures, last_failure: last }: SourceRow): boolean {
  return failures > 0 && last?.kind !== 'file';
}
