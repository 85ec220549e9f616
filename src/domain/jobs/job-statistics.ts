/** What has become of the jobs of a site by day, and what goes wrong in them most. */
import type { Db } from '../../../db/connection.js';
import { beginningOf, type Counted, countedDays, dayOf, type OfDay, type Period } from '../access/period.js';
import { HAS_ONLY_REMOVALS } from './ends/waiting-removals.js';

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

interface JobDay extends OfDay {
  readonly jobs: number;
  readonly failedJobs: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Failed rows by code, the most frequent first. A row with two errors counts with both. */
  readonly errors: readonly { readonly code: string | null; readonly rows: number }[];
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
/** The most frequent codes of the period that are counted by day; all others are counted together, as null. */
const CODES_BY_DAY = 5;

/**
 * The newest jobs of the period, read by the index of their times, without dry runs. A job that waits for an approval has
 * written nothing yet.
 */
const COUNTED = `
  newest AS MATERIALIZED (
    SELECT id, status, created_at, created_count, updated_count, unchanged_count, error_count, error_summary,
      options ->> 'validateOnly' = 'true' AS tries, ${HAS_ONLY_REMOVALS} AS only_removals
    FROM job WHERE site_id = :siteId AND created_at >= :since::timestamptz
    ORDER BY created_at DESC, id DESC LIMIT :most),
  counted AS (
    SELECT *, status <> 'AWAITING_APPROVAL' OR only_removals AS wrote FROM newest
    WHERE tries IS NOT TRUE OR status = 'AWAITING_APPROVAL'),
  lines AS MATERIALIZED (
    SELECT counted.id, created_at, wrote, ${dayOf('created_at')} AS day, line ->> 'code' AS code, line ->> 'path' AS path,
      line ->> 'example' AS example, (line ->> 'count')::integer AS rows
    FROM counted, jsonb_array_elements(error_summary) AS line WHERE error_count > 0),
  frequent AS (
    SELECT code FROM lines WHERE wrote GROUP BY code ORDER BY sum(rows) DESC, code LIMIT :codesByDay),
  by_code AS (
    SELECT day, frequent.code, sum(rows) AS rows FROM lines LEFT JOIN frequent USING (code) WHERE wrote GROUP BY 1, 2)`;

export async function jobStatistics(db: Db, siteId: number, { days, timeZone }: Period): Promise<JobStatistics> {
  const since = await beginningOf(db, { days, timeZone });
  const { rows } = await db.raw<{ rows: [Found] }>(
    `WITH ${COUNTED}
     SELECT (SELECT json_agg(of_day ORDER BY day) FROM (
         SELECT sums.*, coalesce(codes.errors, '[]') AS errors FROM (
         SELECT ${dayOf('created_at')} AS day, count(*) AS jobs,
           count(*) FILTER (WHERE status IN ('FAILED', 'REJECTED')) AS "failedJobs", coalesce(sum(created_count) FILTER (WHERE wrote), 0) AS created,
           coalesce(sum(updated_count) FILTER (WHERE wrote), 0) AS updated, coalesce(sum(unchanged_count) FILTER (WHERE wrote), 0) AS unchanged, coalesce(sum(error_count) FILTER (WHERE wrote), 0) AS failed
         FROM counted GROUP BY 1) AS sums
         LEFT JOIN (
           SELECT day, json_agg(json_build_object('code', code, 'rows', rows) ORDER BY code IS NULL, rows DESC, code) AS errors
           FROM by_code GROUP BY day) AS codes USING (day)) AS of_day) AS days,
       (SELECT json_object_agg(status, count) FROM (
         SELECT status, count(*) FROM counted GROUP BY status) AS of_status) AS statuses,
       (SELECT json_agg(of_error) FROM (
         SELECT code, path, sum(rows) AS rows, count(*) AS jobs,
           (array_agg(example ORDER BY created_at DESC))[1] AS example,
           (array_agg(id ORDER BY created_at DESC))[1] AS "jobId"
         FROM lines
         GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT :mostErrors) AS of_error) AS errors,
       (SELECT min(created_at) FROM newest) AS oldest, (SELECT count(*) FROM newest) AS count`,
    { siteId, since, most: MOST_JOBS, timeZone, mostErrors: MOST_ERRORS, codesByDay: CODES_BY_DAY },
  );
  const [{ statuses, errors }] = rows;
  return { ...countedDays(since, rows[0], MOST_JOBS), statuses: statuses ?? {}, errors: errors ?? [] };
}

interface Found extends Counted<JobDay> {
  readonly statuses: Record<string, number> | null;
  readonly errors: FrequentError[] | null;
}
