/** Starts a run of a feed: at most one at a time, which the row of the feed decides. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import { lockFeed } from './feeds.js';
import { actorOfFeed, type FeedRow } from './model/feed.js';
import { FEED_RUN_JOB, FEED_RUN_TYPE, type RunCause } from './model/feed-run-job.js';

export interface NewRun {
  readonly id: string;
  readonly cause: RunCause;
  readonly lateByMinutes: number;
  readonly requestId: string | null;
  readonly traceparent?: string | null | undefined;
  readonly callbackUrl?: string | undefined;
  /** Who asks for it. Absent: its schedule. */
  readonly actor?: string | null | undefined;
}

/**
 * Starts a run that somebody asks for.
 * @returns what to enqueue once `trx` has committed
 * @throws DomainError not-found; conflict FEED_RUNNING, FEED_PAUSED
 */
export async function requestRun(
  trx: Knex.Transaction,
  siteId: number,
  feedId: string,
  run: Omit<NewRun, 'cause' | 'lateByMinutes'>,
): Promise<OutboxEntry[]> {
  const feed = await lockFeed(trx, siteId, feedId);
  if (feed.state === 'PAUSED') {
    const message = `the feed ${quoted(feed.name)} is paused (${feed.pause_reason ?? 'without a reason'}): set its state to ACTIVE first`;
    throw new DomainError('conflict', 'FEED_PAUSED', message);
  }
  if (await isRunning(trx, feed)) {
    const message = `the feed ${quoted(feed.name)} is running already: wait for the end of job ${feed.last_job_id}, or cancel it`;
    throw new DomainError('conflict', 'FEED_RUNNING', message);
  }
  return startRun(trx, feed, { ...run, cause: 'REQUEST', lateByMinutes: 0 });
}

/** Whether the last run of a feed, whose row the transaction has locked, has not ended. */
export async function isRunning(
  trx: Knex.Transaction,
  { last_job_id: jobId }: Pick<FeedRow, 'last_job_id'>,
): Promise<boolean> {
  if (jobId === null) return false;
  const job = await trx('job').where({ id: jobId }).whereNull('completed_at').first('id');
  return job !== undefined;
}

/** Starts a run of a feed whose row the transaction has locked, and of which no run goes on. */
export async function startRun(
  trx: Knex.Transaction,
  feed: Pick<FeedRow, 'id' | 'site_id' | 'account_id' | 'channel'>,
  { id, cause, lateByMinutes, actor = actorOfFeed(feed.id), ...request }: NewRun,
): Promise<OutboxEntry[]> {
  const { id: feedId, site_id: siteId, account_id: accountId, channel } = feed;
  await trx('feed_run').insert({ job_id: id, feed_id: feedId, cause, late_by_minutes: lateByMinutes });
  const begun = { last_job_id: id, last_run_at: trx.fn.now(), after_ends: false, asked_for: null };
  await trx('feed').where({ id: feedId }).update(begun);
  const { callbackUrl, ...identity } = request;
  const options = { feedId, cause, lateByMinutes, ...(callbackUrl === undefined ? {} : { callbackUrl }) };
  const job = {
    id,
    siteId,
    accountId,
    channel,
    actor,
    jobType: FEED_RUN_JOB,
    type: FEED_RUN_TYPE,
    ...identity,
    options,
  } as const;
  return acceptJob(trx, job);
}
