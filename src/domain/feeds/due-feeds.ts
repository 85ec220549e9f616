/** What maintenance does with feeds: starts those that are due, notes the ends of runs that were ended by others, and tells of files that do not come. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { withRetries } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import { emitEvents } from '../webhooks/emit-events.js';
import { subscribersOf } from '../webhooks/subscribers.js';
import { ENDED_IMPORTS, noteImportEnds } from './import-ends.js';
import type { FeedRow } from './model/feed.js';
import { nextRun } from './model/schedule.js';
import { rightsOf } from './owner.js';
import { pauseFeed } from './pause-feed.js';
import { noteFailure } from './run-ends.js';
import { startRun } from './start-run.js';

/** Feeds that one pass looks at; the next follows a moment later. */
const BATCH = 100;
/** The oldest runs, of which one statement asks whether their jobs are still there. */
const RUNS_LOOKED_AT = 100;
const MINUTE_MS = 60_000;

/** Does all of it, each feed in a transaction of its own. @returns what to enqueue */
export async function tendFeeds(db: Db): Promise<OutboxEntry[]> {
  const entries: OutboxEntry[] = [];
  // Nearly always there is nothing to do: then one statement a second says so, and not four transactions.
  const { rows } = await db.raw<{ rows: { due: boolean }[] }>(IS_ANY_DUE);
  if (rows[0]?.due !== true) return entries;
  for (const one of [settleOne, noteImportEnds, startsInTurns(), tellOne]) {
    for (let time = 0; time < BATCH; time++) {
      const done = await withRetries(db, one);
      if (done === null) break;
      entries.push(...done);
    }
  }
  return entries;
}

/** Accounts take turns: hundreds of feeds of one that are due at the same second keep none of another from being started. */
function startsInTurns(): (trx: Knex.Transaction) => Promise<OutboxEntry[] | null> {
  const hadTheirTurn = new Set<string>();
  return async (trx) => {
    const started = await startOne(trx, hadTheirTurn);
    if (started !== null || hadTheirTurn.size === 0) return started;
    hadTheirTurn.clear();
    return startOne(trx, hadTheirTurn);
  };
}

/** Locks a feed that is due by its schedule, or of which a run was asked for, and of which none goes on. The second process finds it planned anew. */
const IS_PLANNED = `(next_run_at <= now() AND schedule ->> 'everySeconds' IS NULL)`;
const DUE_FEEDS = `
  FROM feed WHERE state = 'ACTIVE' AND (${IS_PLANNED} OR asked_for <= now())
    AND NOT EXISTS (SELECT FROM job WHERE job.id = feed.last_job_id AND job.completed_at IS NULL)`;
const DUE = `
  SELECT feed.*, now() AS now, ${IS_PLANNED} AS "isPlanned" ${DUE_FEEDS} AND account_id <> ALL (:others)
  ORDER BY least(next_run_at, asked_for) LIMIT 1 FOR UPDATE OF feed SKIP LOCKED`;

type DueFeed = FeedRow & { readonly now: Date; readonly isPlanned: boolean | null };

/**
 * Starts a run of one feed that is due, in the transaction that plans the next. Null: none is due.
 * @param hadTheirTurn accounts whose feeds wait; that of the feed is added
 */
async function startOne(trx: Knex.Transaction, hadTheirTurn: Set<string>): Promise<OutboxEntry[] | null> {
  const { rows } = await trx.raw<{ rows: DueFeed[] }>(DUE, { others: [...hadTheirTurn] });
  const [feed] = rows;
  if (feed === undefined) return null;
  hadTheirTurn.add(feed.account_id);
  const { now, schedule, next_run_at: due } = feed;
  // As it was locked, it may have a run that has begun since it was looked for.
  const running = await trx('job')
    .where({ id: feed.last_job_id ?? '' })
    .whereNull('completed_at')
    .first('id');
  if (running !== undefined) return [];
  const rights = await rightsOf(trx, feed);
  if ('refused' in rights) {
    return pauseFeed(trx, feed, null, rights.refused);
  }
  if (feed.isPlanned !== true) {
    return startRun(trx, feed, { id: newId(), cause: 'TRIGGER', lateByMinutes: 0, requestId: null });
  }
  const next = schedule === null ? null : nextRun(schedule, now);
  await trx('feed').where({ id: feed.id }).update({ next_run_at: next });
  const lateByMinutes = due === null ? 0 : Math.floor((now.getTime() - due.getTime()) / MINUTE_MS);
  const cause = feed.after_ends ? 'AFTER' : hasLeft(feed) && !isOfSchedule(schedule, due) ? 'RETRY' : 'SCHEDULE';
  // A run that somebody asked for meanwhile has seen the imports that have ended.
  if (cause === 'SCHEDULE' && schedule === null) return [];
  return startRun(trx, feed, { id: newId(), cause, lateByMinutes, requestId: null });
}

/** Whether a time is one of the schedule itself, at which a feed would run that is well. */
function isOfSchedule(schedule: FeedRow['schedule'], due: Date | null): boolean {
  if (schedule === null || due === null) return false;
  return nextRun(schedule, new Date(due.getTime() - 1000))?.getTime() === due.getTime();
}

/** Whether it runs for what an earlier run has left: it has failed, or files were not complete. */
function hasLeft({ failures, left_over: leftOver }: FeedRow): boolean {
  return failures > 0 || leftOver > 0;
}

/** A run whose job was ended by others: cancelled, or failed with the process that executed it; or whose job is gone. */
const ENDED_RUNS = `
  FROM feed_run AS run LEFT JOIN job ON job.id = run.job_id
  WHERE run.ended_at IS NULL AND (job.id IS NULL OR job.completed_at IS NOT NULL)`;
const ENDED_OTHERWISE = `
  SELECT run.job_id, run.feed_id, job.status, job.status_message, job.reason ${ENDED_RUNS}
  LIMIT 1 FOR UPDATE OF run SKIP LOCKED`;

interface EndedRun {
  readonly job_id: string;
  readonly feed_id: string;
  readonly status: string | null;
  readonly status_message: string | null;
  readonly reason: string | null;
}

async function settleOne(trx: Knex.Transaction): Promise<OutboxEntry[] | null> {
  const { rows } = await trx.raw<{ rows: EndedRun[] }>(ENDED_OTHERWISE);
  const [run] = rows;
  if (run === undefined) return null;
  await trx('feed_run').where({ job_id: run.job_id }).update({ ended_at: trx.fn.now() });
  const feed: FeedRow | undefined = await trx('feed').where({ id: run.feed_id }).forUpdate().first();
  if (feed === undefined || run.status !== 'FAILED') return [];
  const message = run.status_message ?? 'the run has failed';
  return noteFailure(trx, feed, run.job_id, { code: run.reason ?? 'INTERNAL_ERROR', message });
}

const OVERDUE = subscribersOf('FEED_OVERDUE');
const OVERDUE_FEEDS = `
  FROM feed WHERE state = 'ACTIVE' AND expect_within_minutes IS NOT NULL
    AND expects_since <= now() - expect_within_minutes * interval '1 minute'`;
const EXPECTS_IN_VAIN = `
  SELECT feed.*, now() AS now, ${OVERDUE.isAnySubscribed('feed.site_id')} AS subscribed ${OVERDUE_FEEDS}
  LIMIT 1 FOR UPDATE OF feed SKIP LOCKED`;

/** Tells that nothing has come in time; and once more when as much time has passed again. */
async function tellOne(trx: Knex.Transaction): Promise<OutboxEntry[] | null> {
  type Waiting = FeedRow & { readonly now: Date; readonly subscribed: boolean };
  const { rows } = await trx.raw<{ rows: Waiting[] }>(EXPECTS_IN_VAIN);
  const [feed] = rows;
  if (feed === undefined) return null;
  await trx('feed').where({ id: feed.id }).update({ expects_since: feed.now });
  if (!feed.subscribed) return [];
  const { id: feedId, name, channel, expect_within_minutes: within, expects_since: since } = feed;
  const payload = {
    ...{ feedId, name, expectWithinMinutes: within ?? 0, since: since.toISOString() },
    ...{ lastFileAt: feed.last_file_at?.toISOString() ?? null, nextRunAt: feed.next_run_at?.toISOString() ?? null },
  };
  const origin = { siteId: feed.site_id, accountId: feed.account_id };
  return (await emitEvents(trx, origin, [OVERDUE.event('FEED_OVERDUE', payload, { channel })])).outboxEntries;
}

const IS_ANY_DUE = `SELECT ${[ENDED_RUNS, ENDED_IMPORTS, DUE_FEEDS, OVERDUE_FEEDS]
  .map((some) => `EXISTS (SELECT ${some})`)
  .join(' OR ')} AS due`;

/** Deletes what is said of runs whose jobs were deleted. */
export async function pruneFeedRuns(db: Db): Promise<void> {
  // The names of files are kept as long as those may have to be removed.
  await inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM feed_output WHERE run_id = ANY(ARRAY(
         SELECT run_id FROM (
           SELECT run_id FROM feed_output WHERE state <> 'WAITING'
             AND (gone_at IS NOT NULL OR feed_id IN (SELECT id FROM feed WHERE destination ->> 'keep' IS NULL))
             AND NOT EXISTS (SELECT FROM published_file WHERE published_file.job_id = feed_output.run_id)
           ORDER BY run_id LIMIT ?) AS oldest
         WHERE NOT EXISTS (SELECT FROM job WHERE job.id = oldest.run_id OFFSET 0)))`,
      [limit],
    );
    return rowCount;
  }, RUNS_LOOKED_AT);
  // Jobs are deleted in the order of their ids: if those of the oldest runs are there, the others are as well, and millions
  // of runs are not looked at each minute. What is published stays for as long as nothing follows it, with its job.
  await inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM feed_run WHERE job_id = ANY(ARRAY(
         SELECT job_id FROM (
           SELECT job_id, ended_at FROM feed_run
           WHERE NOT EXISTS (SELECT FROM published_file WHERE published_file.job_id = feed_run.job_id)
           ORDER BY job_id LIMIT ?) AS oldest
         WHERE ended_at < now() - interval '1 day'
           AND NOT EXISTS (SELECT FROM job WHERE job.id = oldest.job_id OFFSET 0)))`,
      [limit],
    );
    return rowCount;
  }, RUNS_LOOKED_AT);
}
