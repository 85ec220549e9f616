/** Since when changes are wanted: a place in the feed. */
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import { openFeed } from './feed.js';
import { cursorGone, END_OF_SET, type FeedPlace, isPruned, parseCursor } from './feed-cursor.js';

/** One of them. */
export interface GivenSince {
  readonly cursor?: string | undefined;
  /** Since a job has ended. */
  readonly jobId?: string | undefined;
  /** Since the first change that got its position at this time or later, ISO 8601. */
  readonly time?: string | undefined;
}

/** @throws DomainError invalid, not-found for a job, gone when changes since then are no longer kept */
export async function resolveSince(db: Db, siteId: number, since: GivenSince): Promise<FeedPlace> {
  const { epoch, pruned, last } = await openFeed(db, siteId);
  const place =
    since.cursor === undefined ? await placeBefore(db, siteId, since, last) : parseCursor(since.cursor, epoch);
  if (isPruned(place, pruned)) throw cursorGone('changes since then are no longer kept');
  if (place.position > last) throw cursorGone('the database was restored since the cursor was given');
  return place;
}

/** Before the first change after the end of a job, or at a time. */
async function placeBefore(db: Db, siteId: number, { jobId, time }: GivenSince, last: number): Promise<FeedPlace> {
  const ended = jobId === undefined ? null : await endOf(db, siteId, jobId);
  const { rows } = await db.raw<{ rows: { position: number }[] }>(jobId === undefined ? FIRST_SINCE : FIRST_AFTER_JOB, {
    siteId,
    jobId: jobId ?? null,
    time: time ?? ended,
  });
  return { position: (rows[0]?.position ?? last + 1) - 1, n: END_OF_SET };
}

const FIRST_SINCE = `
  SELECT position FROM change_set
  WHERE site_id = :siteId AND position IS NOT NULL AND numbered_at >= :time::timestamptz AND :jobId::text IS NULL
  ORDER BY position LIMIT 1`;

/** A job that has changed nothing has no position: then its time counts. */
const FIRST_AFTER_JOB = `
  WITH own AS (SELECT max(position) AS position FROM change_set WHERE job_id = :jobId AND NOT preview)
  SELECT coalesce(
    (SELECT position + 1 FROM own),
    (SELECT position FROM change_set WHERE site_id = :siteId AND position IS NOT NULL AND numbered_at >= :time::timestamptz
     ORDER BY position LIMIT 1)) AS position`;

async function endOf(db: Db, siteId: number, jobId: string): Promise<string> {
  const job: { completed_at: Date | null } | undefined = isId(jobId)
    ? await db('job').where({ id: jobId, site_id: siteId }).first('completed_at')
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
  return job.completed_at.toISOString();
}
