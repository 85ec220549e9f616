/** Since when changes are wanted: a place in the feed. */
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { openFeed } from './feed.js';
import { cursorGone, END_OF_SET, type FeedPlace, isPruned, parseCursor } from './feed-cursor.js';

/** One of them. */
export interface GivenSince {
  readonly cursor?: string | undefined;
  /** Since a job has ended; since what an export has seen. */
  readonly jobId?: string | undefined;
  /** Since the first change that got its position at this time or later, ISO 8601. */
  readonly time?: string | undefined;
}

const NOT_KEPT = 'changes since then are no longer kept';

/** @throws DomainError invalid, not-found for a job, gone when changes since then are no longer kept */
export async function resolveSince(db: Db, siteId: number, since: GivenSince): Promise<FeedPlace> {
  const { epoch, pruned, last } = await openFeed(db, siteId);
  const ended = since.jobId === undefined ? null : await endOf(db, siteId, since.jobId);
  const cursor = since.cursor ?? ended?.cursor ?? undefined;
  const place = cursor === undefined ? await placeBefore(db, siteId, since, ended, last) : parseCursor(cursor, epoch);
  if (isPruned(place, pruned)) throw cursorGone(NOT_KEPT);
  if (place.position > last) throw cursorGone('the database was restored since the cursor was given');
  return place;
}

/** Before the first change after the end of a job, or at a time. @throws DomainError gone */
async function placeBefore(
  db: Db,
  siteId: number,
  { jobId, time }: GivenSince,
  ended: EndedJob | null,
  last: number,
): Promise<FeedPlace> {
  const { rows } = await db.raw<{ rows: { own: number | null; first: number | null; isGone: boolean }[] }>(
    FIRST_SINCE,
    {
      siteId,
      jobId: jobId ?? null,
      time: time ?? ended?.at,
    },
  );
  const [{ own, first, isGone } = { own: null, first: null, isGone: false }] = rows;
  if (own !== null) return { position: own, n: END_OF_SET };
  if (isGone) throw cursorGone(NOT_KEPT);
  return { position: (first ?? last + 1) - 1, n: END_OF_SET };
}

/**
 * The last position of what a job has changed; of one that has changed nothing its time counts, as a time does that was given. The
 * first position that is kept does not say whether later ones than this time were dropped before it. Where it is not known
 * when the last of these was given, a kept one that is older says that none was.
 */
const FIRST_SINCE = `
  SELECT (SELECT max(position) FROM change_set WHERE job_id = :jobId::text COLLATE "C" AND NOT preview) AS own,
    (SELECT position FROM change_set
     WHERE site_id = :siteId AND position IS NOT NULL AND numbered_at >= :time::timestamptz
     ORDER BY position LIMIT 1) AS first,
    feed.pruned_position > 0 AND coalesce(feed.pruned_numbered_at >= :time::timestamptz, NOT EXISTS (
      SELECT FROM change_set AS kept
      WHERE kept.site_id = :siteId AND kept.position > feed.pruned_position AND kept.numbered_at < :time::timestamptz)) AS "isGone"
  FROM change_feed AS feed WHERE feed.site_id = :siteId`;

interface EndedJob {
  readonly at: string;
  /** Of an export: where its file goes on. What was committed while it was written is not in the file, and comes later. */
  readonly cursor: string | null;
}

async function endOf(db: Db, siteId: number, jobId: string): Promise<EndedJob> {
  const job: { completed_at: Date | null; cursor: string | null } | undefined = isId(jobId)
    ? await db('job')
        .where({ id: jobId, site_id: siteId })
        .first('completed_at', db.raw("options ->> 'cursor' AS cursor"))
    : undefined;
  if (job === undefined) {
    throw new DomainError(
      'not-found',
      'JOB_NOT_FOUND',
      `there is no job ${jobId.slice(0, 60)} in this account and stage`,
    );
  }
  if (job.completed_at === null) {
    throw new DomainError(
      'conflict',
      'JOB_NOT_ENDED',
      `the job ${jobId} has not ended: ask for changes since it when it has`,
    );
  }
  return { at: job.completed_at.toISOString(), cursor: job.cursor };
}
