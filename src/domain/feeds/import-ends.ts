/** Finds imports of sources that have ended, and plans the runs of the destinations that follow them. */
import type { Knex } from 'knex';
import { AFTER_SECONDS } from './model/schedule.js';

/** One whose rows were applied, and whose removals wait for somebody, has changed the catalog: it is noted again if these are made. */
const HAS_CHANGED = "(job.status = 'AWAITING_APPROVAL' AND job.options -> 'approval' ->> 'only' = 'removals')";

/** Imports that one statement notes. */
const MOST_ENDS = 500;

/** What follows SELECT. */
export const ENDED_IMPORTS = `
  FROM feed_import AS import LEFT JOIN job ON job.id = import.job_id
  WHERE job.id IS NULL OR job.completed_at IS NOT NULL OR ${HAS_CHANGED}`;

const ENDED = `
  SELECT import.job_id, import.feed_id ${ENDED_IMPORTS}
  LIMIT ${MOST_ENDS} FOR UPDATE OF import SKIP LOCKED`;

/** A destination that waits for its retry goes on waiting: its server is away. One that is paused runs when it goes on. */
const PLAN = `
  UPDATE feed SET after_ends = true,
    next_run_at = CASE WHEN feed.state = 'PAUSED' THEN NULL
      WHEN feed.failures > 0 AND feed.next_run_at IS NOT NULL THEN feed.next_run_at
      ELSE least(feed.next_run_at, now() + ${AFTER_SECONDS} * interval '1 second') END
  FROM feed AS source
  WHERE source.id = ANY (CAST(:sources AS text[])) AND feed.site_id = source.site_id
    AND feed.after_feed_id = source.id`;

/** Several ends within a short time make one run. @returns null: none has ended since */
export async function noteImportEnds(trx: Knex.Transaction): Promise<[] | null> {
  const { rows } = await trx.raw<{ rows: { job_id: string; feed_id: string }[] }>(ENDED);
  if (rows.length === 0) return null;
  await trx.raw('DELETE FROM feed_import WHERE job_id = ANY (CAST(:jobs AS text[]))', {
    jobs: rows.map((row) => row.job_id),
  });
  await trx.raw(PLAN, { sources: [...new Set(rows.map((row) => row.feed_id))] });
  return [];
}
