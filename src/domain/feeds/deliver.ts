/** Runs a destination: what waits is sent, and otherwise a file is exported, stored and sent. */
import { withRetries } from '../../../db/with-retries.js';
import { requirePublishedFile } from '../exports/published-files.js';
import type { StepAttempt } from '../jobs/attempts.js';
import type { DeliveryCounts } from './delivery-counts.js';
import type { FeedServices } from './feed-environment.js';
import type { DestinationRow, FeedRow } from './model/feed.js';
import type { FeedRunJob } from './model/feed-run-job.js';
import { nextRun } from './model/schedule.js';
import { openFeedFolder } from './open-feed.js';
import { dropOutput, noteSent, type Output, reported, waitingOutput } from './outputs.js';
import { removeOlder, sendOutput } from './send-output.js';
import { storeOutput } from './store-output.js';

export type Delivered =
  /** `output`: what was sent, or is to be published, and is noted with the end of the run. */
  | {
      readonly kind: 'sent';
      readonly feed: DestinationRow;
      readonly output: Output;
      readonly publishedFileId: string | null;
    }
  /** There was nothing to send. `to`: from where the next file tells of changes; null: it is whole. `version`: of the feed that said so. */
  | { readonly kind: 'empty'; readonly to: string | null; readonly version: number }
  | { readonly kind: 'stale' | 'gone' | 'paused' };

interface Delivering {
  readonly attempt: StepAttempt<FeedRunJob>;
  readonly counts: DeliveryCounts;
  readonly signal: AbortSignal;
}

/** @throws RemoteFailure or DomainError when the file cannot be made or sent; errors of the store */
export async function deliver(
  services: FeedServices,
  feed: DestinationRow,
  delivering: Delivering,
): Promise<Delivered> {
  const { db } = services;
  const { attempt } = delivering;
  const found = await waitingOutput(db, feed.id);
  if (found !== undefined) {
    const { now, ...waiting } = found;
    const isOwn = waiting.runId === attempt.jobId;
    const isWanted = isOwn || isStillNew(feed, waiting, now, attempt.job.options.cause);
    if (isWanted || (feed.destination.content === 'DELTA' && feed.connection.kind !== 'published')) {
      const sent = await send(services, feed, waiting, [waiting.name], delivering);
      if (sent !== null && isWanted) return sent;
      // Changes are never left out: those that waited come first, those since then in a file of their own.
      const noted = sent === null ? 'noted' : await noteEarlier(services, waiting, delivering);
      if (noted === 'stale') return { kind: 'stale' };
    }
    // A whole file that is not what was sent is worth nothing when there is a newer one.
    if (!(await dropEarlier(services, waiting, delivering))) return { kind: 'stale' };
  }
  return deliverNew(services, feed.id, found === undefined ? [] : [found.name], delivering);
}

async function deliverNew(
  services: FeedServices,
  feedId: string,
  begun: readonly string[],
  delivering: Delivering,
): Promise<Delivered> {
  const { db } = services;
  for (;;) {
    delivering.signal.throwIfAborted();
    const feed: FeedRow | undefined = await db('feed').where({ id: feedId }).first();
    if (feed === undefined || feed.direction === 'SOURCE') return { kind: 'gone' };
    if (feed.state === 'PAUSED') return { kind: 'paused' };
    const stored = await storeOutput(services, delivering.attempt, feed, delivering.signal);
    if (stored.kind === 'changed') continue;
    if (stored.kind === 'empty') delivering.counts.skipped = true;
    if (stored.kind !== 'stored') return stored;
    const sent = await send(services, feed, stored.output, begun, delivering);
    if (sent !== null) return sent;
    await dropOutput(db, stored.output);
  }
}

/** Whether a file that waits since an earlier run is what its retry is to send: nothing that is newer is due. */
function isStillNew(
  { schedule, after_ends: isDue }: DestinationRow,
  { readAt }: Output,
  now: Date,
  cause: string,
): boolean {
  if (cause !== 'RETRY' || isDue) return false;
  if (schedule === null) return true;
  const next = nextRun(schedule, readAt);
  return next === null || next > now;
}

/**
 * @param begun the names of files that may have been begun before
 * @returns null when the bytes are not in the store any more
 */
async function send(
  services: FeedServices,
  feed: DestinationRow,
  output: Output,
  begun: readonly string[],
  { counts, signal }: Delivering,
): Promise<Extract<Delivered, { kind: 'sent' }> | null> {
  const { connection } = feed;
  if (connection.kind === 'published') {
    if ((await services.fileStore.size(output.key)) === null) return null;
    const publishedFileId = await requirePublishedFile(services.db, feed.site_id, connection.name);
    return { kind: 'sent', feed, output, publishedFileId };
  }
  const folder = await openFeedFolder(services, feed, connection, signal, true);
  try {
    if (!(await sendOutput(services, folder, output, begun, signal))) return null;
    counts.sent(reported(output));
    await removeOlder(services, folder, feed, output, counts, signal);
    return { kind: 'sent', feed, output, publishedFileId: null };
  } finally {
    await folder.close();
  }
}

/** Notes that a file of an earlier run was sent, before this run makes one of its own. */
async function noteEarlier(
  { db, fileStore }: FeedServices,
  output: Output,
  { attempt }: Delivering,
): Promise<'noted' | 'stale'> {
  const noted = await withRetries(db, async (trx) => {
    if (!(await attempt.lock(trx))) return 'stale';
    const feed: FeedRow | undefined = await trx('feed').where({ id: attempt.job.options.feedId }).forUpdate().first();
    if (feed?.direction === 'DESTINATION') await noteSent(trx, feed, output);
    return 'noted';
  });
  if (noted === 'noted') await fileStore.remove(output.key);
  return noted;
}

/** A newer file takes the place of one of an earlier run. @returns false when the attempt is no longer current */
async function dropEarlier({ db, fileStore }: FeedServices, output: Output, { attempt }: Delivering): Promise<boolean> {
  const isDropped = await withRetries(db, async (trx) => {
    if (!(await attempt.lock(trx))) return false;
    await dropOutput(trx, output);
    return true;
  });
  if (isDropped) await fileStore.remove(output.key);
  return isDropped;
}
