/** Finds locks on what every request reads. */
import { askOnNewConnection } from '../../../db/connection.js';
import type { Finding } from './findings.js';

interface FoundLock {
  readonly table: string;
  /** The session that holds the lock, or has asked for it: others then wait behind it; null: a prepared transaction. */
  readonly session: number | null;
}

/** The tables that the check of the database uses, those first without which no token is looked up. */
const TOKEN_TABLES = ['access_token', 'account'];
const CHECKED_TABLES = [...TOKEN_TABLES, 'job', 'process_heartbeat'];

/** Locks that keep every other session from reading the table, and from writing a heartbeat. */
const LOCKS = `
  SELECT checked.name AS table, taken.pid AS session
  FROM unnest($1::text[]) WITH ORDINALITY AS checked (name, nth)
  JOIN pg_locks AS taken ON taken.relation = to_regclass(checked.name)
  WHERE taken.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (taken.mode = 'AccessExclusiveLock' OR checked.name = 'process_heartbeat'
      AND taken.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock'))
  ORDER BY checked.nth, taken.granted DESC LIMIT 1`;

/** The lock that keeps the check from going on, asked on a connection of its own; or why the database gives none. */
export async function askLocks(url: string): Promise<{ lock: FoundLock | undefined } | { error: unknown }> {
  try {
    const [lock] = await askOnNewConnection<FoundLock>(url, 'longshore-readiness', LOCKS, [CHECKED_TABLES]);
    return { lock };
  } catch (error) {
    return { error };
  }
}

export function isLocked({ table, session }: FoundLock): Finding {
  const noToken = TOKEN_TABLES.includes(table);
  const effect = noToken ? 'no token can be looked up, so requests are refused' : 'requests that use it are refused';
  return {
    status: noToken ? 'down' : 'degraded',
    message: `the table ${table} is locked by another session of Postgres; ${effect}`,
    cure: `wait for ${session === null ? 'the prepared transaction' : `session ${session}`} to end, which ${session === null ? 'pg_prepared_xacts' : 'pg_stat_activity'} shows${
      session === null ? '' : `, or end it: SELECT pg_terminate_backend(${session})`
    }; set lock_timeout for changes by hand`,
  };
}
