/** Whether workers wait for locks of Postgres, and who holds them. */
import type { Knex } from 'knex';
import { rowsOf } from './reading.js';

export interface LockWait {
  /** Sessions of workers that wait. */
  readonly sessions: number;
  /** Since when the first of them does. */
  readonly since: Date;
  /** What it waits for; null: a row, or the end of a transaction. */
  readonly table: string | null;
  /** The session that it waits for; null: a prepared transaction. */
  readonly holder: number | null;
  /** The name that the session gives itself. */
  readonly holderName: string | null;
}

/** The longest wait of a worker for a lock; null: none waits. */
export async function longestLockWait(trx: Knex): Promise<LockWait | null> {
  const [found] = await rowsOf<LockWait>(
    trx,
    `SELECT waiting.sessions, waiting.since, waiting."table", nullif(holder.pid, 0) AS holder,
       (SELECT nullif(application_name, '') FROM pg_stat_activity WHERE pid = holder.pid) AS "holderName"
     FROM (
       SELECT session.pid, count(*) OVER ()::integer AS sessions, coalesce(lock.waitstart, session.query_start) AS since,
         lock.relation::regclass::text AS "table"
       FROM pg_stat_activity AS session
       LEFT JOIN LATERAL (SELECT waitstart, relation FROM pg_locks WHERE pid = session.pid AND NOT granted LIMIT 1) AS lock
         ON true
       WHERE session.datname = current_database() AND session.application_name = 'longshore-worker'
         AND session.wait_event_type = 'Lock'
       ORDER BY since LIMIT 1) AS waiting
     CROSS JOIN LATERAL (SELECT (pg_blocking_pids(waiting.pid))[1] AS pid) AS holder
     -- None any more: the lock was given while this was read.
     WHERE holder.pid IS NOT NULL`,
  );
  return found ?? null;
}
