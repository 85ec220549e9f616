/** Runs a feed: a source looks at its folder, and takes what is new and complete; a destination sends a file. Each attempt looks anew. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { RemoteFailure, type RemoteFile, type RemoteFolder } from '../../platform/remote/remote-folder.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type AttemptOutcome, beginAttempt, type StepAttempt } from '../jobs/attempts.js';
import { endJob } from '../jobs/end-job.js';
import type { JobEnd } from '../jobs/model/job-end.js';
import { recordProgress } from '../jobs/single-step.js';
import { DomainError } from '../kernel/errors.js';
import { clearFiles } from './clear-files.js';
import { type Delivered, deliver } from './deliver.js';
import { DeliveryCounts } from './delivery-counts.js';
import type { FeedServices } from './feed-environment.js';
import { pastOf } from './known-files.js';
import { lookAt } from './look.js';
import type { FeedRow, SourceRow } from './model/feed.js';
import { failingOf } from './model/feed-failure.js';
import { FEED_RUN_JOBS, type FeedRunJob } from './model/feed-run-job.js';
import { clearStore, noteDelivered } from './note-delivered.js';
import { openFeedFolder } from './open-feed.js';
import { rightsOf } from './owner.js';
import { pauseFeed } from './pause-feed.js';
import { noteFailure, noteSuccess, noteUnsent } from './run-ends.js';
import { RunCounts, type RunFindings } from './run-report.js';
import { takeFiles } from './take-files.js';

type RunOutcome =
  | Exclude<AttemptOutcome, { kind: 'ended' }>
  | { readonly kind: 'ended'; readonly outboxEntries: readonly OutboxEntry[] };

type Attempt = StepAttempt<FeedRunJob>;

/** How a run comes to its end: as it counts, or without having looked. `delivered`: what a destination notes with it. */
type Ending =
  | { readonly counts: RunFindings; readonly delivered?: Delivered }
  | { readonly end: JobEnd; readonly pause?: string };

/** @param signal aborts the run; the next attempt looks anew */
export async function runFeed(services: FeedServices, payload: StepPayload, signal: AbortSignal): Promise<RunOutcome> {
  const { db } = services;
  const begun = await beginAttempt(services, FEED_RUN_JOBS, payload, 'feed');
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  const feed: FeedRow | undefined = await db('feed').where({ id: attempt.job.options.feedId }).first();
  const counts = feed?.direction === 'DESTINATION' ? new DeliveryCounts() : new RunCounts();
  const watch = attempt.watch(db, async () => counts.progress());
  let ending: Ending | 'stale';
  try {
    ending = await run(services, attempt, feed, counts, AbortSignal.any([signal, watch.stale]));
  } catch (error) {
    if (signal.aborted) throw error;
    if (watch.stale.aborted) return { kind: 'stale' };
    ending = { counts: failed(counts, error) };
  } finally {
    await watch.stop();
  }
  if (ending === 'stale') return { kind: 'stale' };
  const outcome = await record(db, attempt, ending);
  if (outcome.kind === 'ended' && 'delivered' in ending) await clearStore(services, ending.delivered);
  return outcome;
}

/** @throws what is no failure of the feed: the step is tried again then */
function failed(counts: RunFindings, error: unknown): RunFindings {
  if (!(error instanceof RemoteFailure) && !(error instanceof DomainError)) throw error;
  counts.fail(failingOf(error));
  return counts;
}

async function run(
  services: FeedServices,
  attempt: Attempt,
  feed: FeedRow | undefined,
  counts: RunCounts | DeliveryCounts,
  signal: AbortSignal,
): Promise<Ending | 'stale'> {
  if (feed === undefined) return { end: cancelled('the feed was deleted') };
  if (feed.state === 'PAUSED') return { end: cancelled(`the feed is paused: ${feed.pause_reason ?? ''}`) };
  const rights = await rightsOf(services.db, feed);
  if ('refused' in rights) return { end: cancelled(`the feed was paused: ${rights.refused}`), pause: rights.refused };
  if (feed.direction === 'DESTINATION') {
    if (counts instanceof RunCounts) throw new Error('a destination counts what it sends');
    const delivered = await deliver(services, feed, { attempt, counts, signal });
    if (delivered.kind === 'stale') return delivered.kind;
    if (delivered.kind === 'gone') return { end: cancelled('the feed was deleted') };
    if (delivered.kind === 'paused') return { end: cancelled('the feed was paused; nothing was sent') };
    return { counts, delivered };
  }
  if (counts instanceof DeliveryCounts) throw new Error('a source counts what it takes');
  const folder = await openFeedFolder(services, feed, feed.connection, signal);
  try {
    return await bringFrom(services, attempt, feed, folder, counts, signal);
  } finally {
    await folder.close();
  }
}

async function bringFrom(
  services: FeedServices,
  attempt: Attempt,
  feed: SourceRow,
  folder: RemoteFolder,
  counts: RunCounts,
  signal: AbortSignal,
): Promise<Ending | 'stale'> {
  const { db } = services;
  const looked = await lookAt(folder, feed.pick, pastOf(db, feed), signal);
  counts.seen = looked.seen;
  counts.waiting = looked.waiting.map(({ name }) => name);
  counts.more = looked.more;
  counts.outdated = looked.outdated?.name ?? null;
  counts.growing = feed.pick.doneMarker === null ? looked.waiting.length : 0;
  const done: RemoteFile[] = [];
  try {
    const taking = await takeFiles(services, { attempt, feed, folder, looked, counts, done, signal });
    if (taking === 'stale') return taking;
    if (taking === 'gone') return { end: cancelled('the feed was deleted; what was taken before is imported') };
    if (taking === 'paused') return { end: cancelled('the feed was paused; what was taken before is imported') };
  } catch (error) {
    // What was taken before is moved all the same.
    failed(counts, error);
  }
  await clearFiles(db, folder, feed, done, signal);
  return { counts };
}

/** Records what came of the run with its feed, and the end of its job, in one transaction. */
function record(db: Db, attempt: Attempt, ending: Ending): Promise<RunOutcome> {
  return withRetries(db, async (trx): Promise<RunOutcome> => {
    if (!(await attempt.lock(trx))) return { kind: 'stale' };
    const { jobId } = attempt;
    const feed: FeedRow | undefined = await trx('feed').where({ id: attempt.job.options.feedId }).forUpdate().first();
    if (feed?.direction === 'DESTINATION' && 'counts' in ending) await noteDelivered(trx, feed, jobId, ending);
    const outboxEntries = feed === undefined ? [] : await noteEnd(trx, feed, attempt, ending);
    if ('counts' in ending) {
      await recordProgress(trx, attempt, ending.counts.progress());
    }
    const report = 'counts' in ending ? JSON.stringify(ending.counts.report()) : null;
    await trx('feed_run').where({ job_id: jobId }).update({ report, ended_at: trx.fn.now() });
    await endJob(trx, jobId, 'counts' in ending ? ending.counts.end() : ending.end);
    return { kind: 'ended', outboxEntries };
  });
}

async function noteEnd(trx: Knex.Transaction, feed: FeedRow, attempt: Attempt, ending: Ending): Promise<OutboxEntry[]> {
  const { jobId } = attempt;
  if ('counts' in ending) {
    const { failure, fault, left } = ending.counts;
    if (failure !== null) return noteFailure(trx, feed, jobId, failure, left);
    if (fault !== null && !left.moved) return noteFailure(trx, feed, jobId, fault, left);
    return noteSuccess(trx, feed, jobId, left, fault);
  }
  await noteUnsent(trx, feed, attempt.job.options.cause, ending.pause === undefined && feed.state === 'ACTIVE');
  return ending.pause === undefined ? [] : pauseFeed(trx, feed, jobId, ending.pause);
}

function cancelled(statusMessage: string): JobEnd {
  return { status: 'CANCELLED', statusMessage };
}
