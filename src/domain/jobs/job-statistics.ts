/** What has become of the jobs of a site by day, and what goes wrong in them most. */
import type { Db } from '../../../db/connection.js';
import { beginningOf, type Period } from '../access/period.js';

interface JobStatistics {
  /** The earliest time that is counted: fewer days than asked for, where there were too many jobs. */
  readonly since: Date;
  /** Days with jobs, the oldest first. */
  readonly days: readonly JobDay[];
  /** How many jobs have each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The most frequent errors of rows first. */
  readonly errors: readonly FrequentError[];
}

interface JobDay {
  /** "2026-11-26" */
  readonly day: string;
  readonly jobs: number;
  readonly failedJobs: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

interface FrequentError {
  readonly code: string;
  readonly path: string | null;
  readonly rows: number;
  readonly jobs: number;
  /** A message, and the newest job that has it. */
  readonly example: string;
  readonly jobId: string;
}

/** So that an answer takes no longer for a site with a million small jobs. */
const MOST_JOBS = 20_000;
const MOST_ERRORS = 20;

/**
 * The newest jobs of the period, read by the index of their times, without dry runs. A job that waits for an approval has
 * written nothing yet.
 */
const COUNTED = `
  newest AS MATERIALIZED (
    SELECT id, status, created_at, created_count, updated_count, unchanged_count, error_count, error_summary,
      options ->> 'validateOnly' = 'true' AS tries
    FROM job WHERE site_id = :siteId AND created_at >= :since::timestamptz
    ORDER BY created_at DESC, id DESC LIMIT :most),
  counted AS (
    SELECT *, status <> 'AWAITING_APPROVAL' AS wrote FROM newest
    WHERE tries IS NOT TRUE OR status = 'AWAITING_APPROVAL')`;

export async function jobStatistics(db: Db, siteId: number, { days, timeZone }: Period): Promise<JobStatistics> {
  const since = await beginningOf(db, { days, timeZone });
  const { rows } = await db.raw<{ rows: [Found] }>(
    `WITH ${COUNTED}
     SELECT (SELECT json_agg(of_day ORDER BY day) FROM (
         SELECT to_char(created_at AT TIME ZONE :timeZone, 'YYYY-MM-DD') AS day, count(*) AS jobs,
           count(*) FILTER (WHERE status IN ('FAILED', 'REJECTED')) AS "failedJobs", coalesce(sum(created_count) FILTER (WHERE wrote), 0) AS created,
           coalesce(sum(updated_count) FILTER (WHERE wrote), 0) AS updated, coalesce(sum(unchanged_count) FILTER (WHERE wrote), 0) AS unchanged, coalesce(sum(error_count) FILTER (WHERE wrote), 0) AS failed
         FROM counted GROUP BY 1) AS of_day) AS days,
       (SELECT json_object_agg(status, count) FROM (
         SELECT status, count(*) FROM counted GROUP BY status) AS of_status) AS statuses,
       (SELECT json_agg(of_error) FROM (
         SELECT line ->> 'code' AS code, line ->> 'path' AS path, sum((line ->> 'count')::integer) AS rows,
           count(*) AS jobs, (array_agg(line ->> 'example' ORDER BY created_at DESC))[1] AS example,
           (array_agg(id ORDER BY created_at DESC))[1] AS "jobId"
         FROM counted, jsonb_array_elements(error_summary) AS line WHERE error_count > 0
         GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT :mostErrors) AS of_error) AS errors,
       (SELECT min(created_at) FROM newest) AS oldest, (SELECT count(*) FROM newest) AS count`,
    { siteId, since, most: MOST_JOBS, timeZone, mostErrors: MOST_ERRORS },
  );
  const [{ days: found, statuses, errors, oldest, count }] = rows;
  const isAll = count < MOST_JOBS || oldest === null;
  return { since: isAll ? since : oldest, days: found ?? [], statuses: statuses ?? {}, errors: errors ?? [] };
}

interface Found {
  readonly days: JobDay[] | null;
  readonly statuses: Record<string, number> | null;
  readonly errors: FrequentError[] | null;
  readonly oldest: Date | null;
  readonly count: number;
}
