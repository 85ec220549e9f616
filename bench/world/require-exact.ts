/** What must hold after every run of small jobs, or its figures mean nothing. */
import type pg from 'pg';

/**
 * Something was lost, or done twice.
 * @internal exported for tests
 */
export class Inexact extends Error {
  override readonly name = 'Inexact';
}

/**
 * An ended job has recorded each of its rows once, without an error, and all alike in its own counts and its chunk's. One
 * that was carried out twice has not: the second time an insert's rows exist already, and an upsert's rows change nothing.
 * The counts are updated in the very transaction that writes the items, so this may be asked of jobs under way as well.
 */
const WRONG_JOB = `
  SELECT id || ' is ' || status || ' with ' || concat_ws(' + ', created_count, updated_count, unchanged_count, error_count)
    || ' of ' || total_count || ' rows created, updated, unchanged, failed'
  FROM job JOIN LATERAL (
    SELECT sum(created_count) AS created, sum(updated_count) AS updated FROM job_chunk WHERE job_id = job.id) AS chunk ON true
  WHERE kind = 'item' AND completed_at IS NOT NULL AND (status <> 'COMPLETED' OR processed_count <> total_count
    OR created_count + updated_count <> total_count OR created <> created_count OR updated <> updated_count)
  LIMIT 1`;

/** Every created row is an item, and there is no other. */
const WRONG_SITE = `
  SELECT 'site ' || site_id || ' has ' || coalesce(items, 0) || ' items, and its jobs created ' || coalesce(created, 0)
  FROM (SELECT site_id, sum(created_count) AS created FROM job WHERE kind = 'item' GROUP BY site_id) AS by_jobs
  FULL JOIN (SELECT site_id, count(*) AS items FROM item GROUP BY site_id) AS by_items USING (site_id)
  WHERE coalesce(items, 0) <> coalesce(created, 0)
  LIMIT 1`;

/**
 * Looks at all item jobs and items there are, in one snapshot.
 * @param jobs how many were accepted @param allEnded false: some may still be under way
 * @throws Inexact
 */
export async function requireExact(db: pg.Client, jobs: number, allEnded = true): Promise<void> {
  const { rows } = await db.query<{ jobs: number; pending: number; job: string | null; site: string | null }>(
    `SELECT count(*)::integer AS jobs, (count(*) FILTER (WHERE completed_at IS NULL))::integer AS pending,
       (${WRONG_JOB}) AS job, (${WRONG_SITE}) AS site
     FROM job WHERE kind = 'item'`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('a count has no row');
  const problems = [
    found.jobs === jobs ? null : `${found.jobs} jobs are there of ${jobs} that were accepted`,
    found.pending === 0 || !allEnded ? null : `${found.pending} jobs have not ended`,
    found.job === null ? null : `job ${found.job}`,
    found.site,
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new Inexact(`${problems.join('; ')}: the figures mean nothing`);
}
