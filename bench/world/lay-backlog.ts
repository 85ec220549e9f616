/** Lays jobs that wait for their turn, so many that sending them as requests would take an hour. */
import type pg from 'pg';
import { bulkBody } from '../data/write-rows.js';
import { ROWS_PER_SMALL_JOB } from './small-jobs.js';

export interface Backlog {
  readonly account: string;
  /** The jobs go to them in turn. Nothing else may be accepted or carried out on them meanwhile. */
  readonly siteIds: readonly number[];
  readonly jobs: number;
  /** Every so many-th job of a site is an ordered upsert, the others are inserts that may run beside each other. */
  readonly upsertEvery: number;
}

/** Takes the place of a job's number in its SKUs. */
const NUMBER = '#';

/**
 * Writes the rows that acceptance writes for requests of ten rows, and leaves them as they are once a worker has found
 * that others of the site come first (`acceptJob`, `beginAlone`): accepted, held, not on the queue. Each has rows of
 * its own. This is the one place in the benchmarks that knows how jobs wait.
 */
export async function layBacklog(db: pg.Client, { account, siteIds, jobs, upsertEvery }: Backlog): Promise<void> {
  const skuOf = (index: number) => `LAID-${NUMBER}-${index}`;
  const lines = JSON.parse(bulkBody(1, ROWS_PER_SMALL_JOB, skuOf)).map((row: unknown) => JSON.stringify(row));
  await db.query(
    `WITH laid AS (
       SELECT number, ($2::integer[])[1 + number % $6] AS site_id, (number / $6) % $7 = $7 - 1 AS is_upsert,
         nextval('job_line_no_seq') AS position,
         lpad(to_hex(extract(epoch FROM now())::integer), 8, '0') || right(md5(gen_random_uuid()::text), 16) AS id
       FROM generate_series(0, $3::integer - 1) AS number
     ), accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, request_id, line_no, shared, step, total_count)
       SELECT id, site_id, $1, CASE WHEN is_upsert THEN 'ITEM_BULK_UPSERT' ELSE 'ITEM_BULK_INSERT' END, 'item', 'SCHEDULED',
         jsonb_build_object('mode', CASE WHEN is_upsert THEN 'upsert' ELSE 'insert' END, 'onError', 'skip', 'validateOnly', false),
         'laid-' || number, position, NOT is_upsert, 'plan', $5
       FROM laid ORDER BY number
     ), placed AS (
       INSERT INTO job_order (site_id, position, job_id, state, concurrent, batchable, dispatch, dispatched_at)
       SELECT site_id, position, id, 'h', NOT is_upsert, true, 1, now() FROM laid ORDER BY number
     )
     INSERT INTO job_chunk (job_id, idx, first_row, row_count, input)
     SELECT id, 0, 1, $5, replace($4, '${NUMBER}', number::text) FROM laid`,
    [account, siteIds, jobs, lines.join('\n'), ROWS_PER_SMALL_JOB, siteIds.length, upsertEvery],
  );
}
