/** Runs a feed: looks at its folder, and takes what is new and complete. Each attempt looks anew. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { RemoteFailure, type RemoteFolder } from '../../platform/remote/remote-folder.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { beginAttempt, type StepAttempt } from '../jobs/attempts.js';
import { endJob } from '../jobs/end-job.js';
import type { JobEnd } from '../jobs/model/job-end.js';
import type { StepPayload } from '../jobs/model/step-payload.js';
import { recordProgress } from '../jobs/single-step.js';
import { DomainError } from '../kernel/errors.js';
import { clearFiles } from './clear-files.js';
import { pauseFeed } from './due-feeds.js';
import { type FeedServices, openFolderOf } from './feed-environment.js';
import { openSecrets } from './feed-secrets.js';
import { knownFiles } from './known-files.js';
import { lookAt, MOST_FILES } from './look.js';
import type { FeedRow } from './model/feed.js';
import { FEED_RUN_JOBS, type FeedRunJob } from './model/feed-run-job.js';
import { rightsOf } from './owner.js';
import { pinHostKey } from './pin-host-key.js';
import { noteFailure, noteSuccess } from './run-ends.js';
import { RunCounts } from './run-report.js';
import { takeFiles } from './take-files.js';

type RunOutcome =
  | { readonly kind: 'stale' }
  | { readonly kind: 'ended'; readonly outboxEntries: readonly OutboxEntry[] }
  | { readonly kind: 'held'; readonly siteId: number };

type Attempt = StepAttempt<FeedRunJob>;

/** How a run comes to its end: as it counts, or without having looked. */
type Ending = { readonly counts: RunCounts } | { readonly end: JobEnd; readonly pause?: string };

/** @param signal aborts the run; the next attempt looks anew */
export async function runFeed(services: FeedServices, payload: StepPayload, signal: AbortSignal): Promise<RunOutcome> {
  const { db } = services;
  const begun = await withRetries(db, (trx) => beginAttempt(trx, FEED_RUN_JOBS, payload, 'feed'));
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  services.contention?.notice(attempt.job.account_id);
  services.logger?.info({ jobId: payload.jobId, type: attempt.job.type }, 'a job has begun');
  const counts = new RunCounts();
  const watch = attempt.watch(db, async () => ({ processedCount: counts.taken }));
  let ending: Ending | 'stale';
  try {
    ending = await bring(services, attempt, counts, AbortSignal.any([signal, watch.stale]));
  } catch (error) {
    if (signal.aborted) throw error;
    if (watch.stale.aborted) return { kind: 'stale' };
    ending = { counts: failed(counts, error) };
  } finally {
    await watch.stop();
  }
  return ending === 'stale' ? { kind: 'stale' } : record(db, attempt, ending);
}

/** @throws what is no failure of the feed: the step is tried again then */
function failed(counts: RunCounts, error: unknown): RunCounts {
  if (!(error instanceof RemoteFailure) && !(error instanceof DomainError)) throw error;
  counts.fail(error.code, error.message);
  return counts;
}

async function bring(
  services: FeedServices,
  attempt: Attempt,
  counts: RunCounts,
  signal: AbortSignal,
): Promise<Ending | 'stale'> {
  const { db, environment } = services;
  const feed: FeedRow | undefined = await db('feed').where({ id: attempt.job.options.feedId }).first();
  if (feed === undefined) return { end: cancelled('the feed was deleted') };
  if (feed.state === 'PAUSED') return { end: cancelled(`the feed is paused: ${feed.pause_reason ?? ''}`) };
  const rights = await rightsOf(db, feed);
  if ('refused' in rights) return { end: cancelled(`the feed was paused: ${rights.refused}`), pause: rights.refused };
  const secrets = openSecrets(environment.secretsKeys, feed);
  const opened = await openFolderOf(environment, feed.account_id, feed.connection, secrets, signal);
  try {
    if (opened.hostKey !== null) await pinHostKey(db, feed, opened.hostKey);
    return await bringFrom(services, attempt, feed, opened.folder, counts, signal);
  } finally {
    await opened.folder.close();
  }
}

async function bringFrom(
  services: FeedServices,
  attempt: Attempt,
  feed: FeedRow,
  folder: RemoteFolder,
  counts: RunCounts,
  signal: AbortSignal,
): Promise<Ending | 'stale'> {
  const { db } = services;
  const looked = await lookAt(folder, feed.pick, (names) => knownFiles(db, feed.id, names), signal);
  counts.seen = looked.seen;
  counts.waiting = looked.waiting.map(({ name }) => name);
  counts.more = looked.more;
  const taking = await takeFiles(services, { attempt, feed, folder, looked, counts, signal });
  if (taking.kind === 'stale') return taking.kind;
  if (taking.kind === 'gone') return { end: cancelled('the feed was deleted; what was taken before is imported') };
  if (taking.kind === 'paused') return { end: cancelled('the feed was paused; what was taken before is imported') };
  await clearFiles(db, folder, feed, taking.done, signal);
  return { counts };
}

/** Records what came of the run with its feed, and the end of its job, in one transaction. */
function record(db: Db, attempt: Attempt, ending: Ending): Promise<RunOutcome> {
  return withRetries(db, async (trx): Promise<RunOutcome> => {
    if (!(await attempt.lock(trx))) return { kind: 'stale' };
    const { jobId } = attempt;
    const feed: FeedRow | undefined = await trx('feed').where({ id: attempt.job.options.feedId }).forUpdate().first();
    const outboxEntries = feed === undefined ? [] : await noteEnd(trx, feed, jobId, ending);
    if ('counts' in ending) {
      const { seen, taken } = ending.counts;
      await recordProgress(trx, attempt, { totalCount: seen, processedCount: taken, createdCount: taken });
    }
    const report = 'counts' in ending ? JSON.stringify(ending.counts.report()) : null;
    await trx('feed_run').where({ job_id: jobId }).update({ report, ended_at: trx.fn.now() });
    await endJob(trx, jobId, 'counts' in ending ? ending.counts.end(MOST_FILES) : ending.end);
    return { kind: 'ended', outboxEntries };
  });
}

async function noteEnd(trx: Knex.Transaction, feed: FeedRow, jobId: string, ending: Ending): Promise<OutboxEntry[]> {
  if ('counts' in ending) {
    const { failure, taken } = ending.counts;
    if (failure !== null) return noteFailure(trx, feed, jobId, failure, taken > 0);
    await noteSuccess(trx, feed, taken > 0);
  } else if (ending.pause !== undefined) await pauseFeed(trx, feed.id, ending.pause);
  return [];
}

function cancelled(statusMessage: string): JobEnd {
  return { status: 'CANCELLED', statusMessage };
}
