/** Counts what waits. */
import type { Db } from '../../../../db/connection.js';
import { DELIVERY, EXPORT } from './units.js';

/** Pages of a table that one statement reads. */
const SAMPLED_PAGES = 20;
/** Pages that are read where a count has found its limit. */
const MORE_PAGES = 200;
const PAGE_BYTES = 8_192;
/** Bytes of an uploaded file for each row, before its rows are known. */
const ROW_BYTES = 150;
const MOST_JOBS = 500;
const MOST_EXPORTS = 1_000;
const MOST_DELIVERIES = 5_000;
/** Deliveries of which the endpoints are looked at: those that have waited longest, and those that came last. */
const ENDS = 1_000;
const MOST_BREAKERS = 10_000;
const MOST_FEEDS = 10_000;

export interface CountedWork {
  /** By unit: a type of rows, `export` or `delivery`. */
  readonly open: ReadonlyMap<string, number>;
  /** Endpoints that have deliveries which are due. */
  readonly endpoints: number;
  readonly openBreakers: number;
  readonly feeds: FeedCounts;
  readonly connections: number;
  readonly connectionLimit: number;
}

/** How many feeds are in a state that somebody should know of. One may be failing and overdue. */
interface FeedCounts {
  readonly failing: number;
  readonly overdue: number;
  readonly paused: number;
}

/** Counts what waits and runs. */
export async function countWork(db: Db): Promise<CountedWork> {
  const { rows } = await db.raw<{ rows: CountedRow[] }>(COUNT);
  const [row] = rows;
  if (row === undefined) throw new Error('counting has no result');
  const open = new Map<string, number>();
  const add = (kind: string, count: number) => open.set(kind, (open.get(kind) ?? 0) + count);
  for (const { kind, rows: running } of await runningRows(db)) add(kind, running);
  const share = Math.min(1, SAMPLED_PAGES / Math.max(1, row.order_bytes / PAGE_BYTES));
  for (const { kind, rows: waiting } of await waitingRows(db, share)) add(kind, waiting / share);
  add(EXPORT, row.exports);
  const deliveries = row.deliveries < MOST_DELIVERIES ? row.deliveries : await manyDeliveries(db, row.delivery_bytes);
  add(DELIVERY, deliveries);
  return {
    open,
    endpoints: row.endpoints,
    openBreakers: row.breakers,
    feeds: row.feeds,
    connections: row.connections,
    connectionLimit: row.connection_limit,
  };
}

interface CountedRow {
  readonly order_bytes: number;
  readonly delivery_bytes: number;
  readonly exports: number;
  readonly deliveries: number;
  readonly endpoints: number;
  readonly breakers: number;
  readonly feeds: FeedCounts;
  readonly connections: number;
  readonly connection_limit: number;
}

const COUNT = `
  SELECT pg_relation_size('job_order') AS order_bytes, pg_relation_size('delivery') AS delivery_bytes,
    (SELECT count(*)::integer FROM (
       ${['export', 'inspect', 'feed'].map((step) => `(SELECT 1 FROM job WHERE completed_at IS NULL AND step = '${step}' LIMIT ${MOST_EXPORTS})`).join(' UNION ALL ')}
       LIMIT ${MOST_EXPORTS}) AS found) AS exports,
    (SELECT count(*)::integer FROM (
       SELECT FROM delivery WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT ${MOST_DELIVERIES}) AS found) AS deliveries,
    (SELECT count(DISTINCT endpoint)::integer FROM (
       (SELECT coalesce(callback_url, definition_id) AS endpoint FROM delivery WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT ${ENDS})
       UNION ALL
       (SELECT coalesce(callback_url, definition_id) FROM delivery WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at DESC LIMIT ${ENDS})) AS ends) AS endpoints,
    (SELECT count(*)::integer FROM (
       SELECT FROM endpoint_health WHERE open_until > now() LIMIT ${MOST_BREAKERS}) AS found) AS breakers,
    (SELECT json_build_object(
         'failing', count(*) FILTER (WHERE state = 'ACTIVE' AND failures > 0),
         'overdue', count(*) FILTER (WHERE state = 'ACTIVE' AND greatest(last_file_at, created_at, updated_at)
           <= now() - expect_within_minutes * interval '1 minute'),
         'paused', count(*) FILTER (WHERE state = 'PAUSED'))
       FROM (SELECT state, failures, last_file_at, created_at, updated_at, expect_within_minutes FROM feed
             LIMIT ${MOST_FEEDS}) AS found) AS feeds,
    (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      AS connection_limit`;

interface RowsOfKind {
  readonly kind: string;
  readonly rows: number;
}

const RUNNING = `
  SELECT kind, sum(CASE
      WHEN step = 'apply-all' THEN total_count
      WHEN wave > 0 THEN coalesce((plan ->> 'waiting')::integer, 0)
      ELSE total_count - first_row END)::float8 AS rows
  FROM (
    (SELECT id, kind, step, total_count, plan FROM job WHERE step = 'apply' LIMIT ${MOST_JOBS})
    UNION ALL
    (SELECT id, kind, step, total_count, plan FROM job
     WHERE completed_at IS NULL AND dispatched_at IS NOT NULL AND step = 'apply-all' LIMIT ${MOST_JOBS})) AS job
  LEFT JOIN LATERAL (
    -- The first chunk that is not done: in the first pass, all rows behind it are not done either.
    SELECT first_row, wave FROM job_chunk
    WHERE job_id = job.id AND status IN ('dispatched', 'pending') ORDER BY status, idx LIMIT 1) AS chunk ON true
  WHERE total_count IS NOT NULL AND (first_row IS NOT NULL OR step = 'apply-all')
  GROUP BY kind`;

async function runningRows(db: Db): Promise<readonly RowsOfKind[]> {
  return (await db.raw<{ rows: RowsOfKind[] }>(RUNNING)).rows;
}

const WAITING = `
  SELECT kind, sum(coalesce(total_count, file.bytes / ${ROW_BYTES}, 0))::float8 AS rows
  FROM (SELECT job_id FROM job_order TABLESAMPLE SYSTEM (?) WHERE state IN ('q', 'h')) AS waiting
  CROSS JOIN LATERAL (
    SELECT kind, total_count, input_file_id FROM job WHERE id = waiting.job_id LIMIT 1) AS job
  LEFT JOIN LATERAL (
    SELECT bytes FROM file WHERE total_count IS NULL AND id = job.input_file_id LIMIT 1) AS file ON true
  GROUP BY kind`;

async function waitingRows(db: Db, share: number): Promise<readonly RowsOfKind[]> {
  return (await db.raw<{ rows: RowsOfKind[] }>(WAITING, [share * 100])).rows;
}

async function manyDeliveries(db: Db, bytes: number): Promise<number> {
  const share = Math.min(1, MORE_PAGES / Math.max(1, bytes / PAGE_BYTES));
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    'SELECT count(*)::integer AS count FROM delivery TABLESAMPLE SYSTEM (?) WHERE next_attempt_at <= now()',
    [share * 100],
  );
  return Math.max(MOST_DELIVERIES, (rows[0]?.count ?? 0) / share);
}
