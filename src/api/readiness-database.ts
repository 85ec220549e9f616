/** What readiness says of the database when it does not work: what is wrong, and what to do. */
import { askOnNewConnection, type Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import { codeOf, type Finding } from './readiness-findings.js';

interface AskedDatabase {
  readonly db: Db;
  readonly config: Config;
}

/** The code of an error that Postgres has sent, unlike those of the system, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** SQLSTATEs of a schema that is older than this build, which is the subject of another part. */
const OLD_SCHEMA = /^(42P01|42703|3F000)$/;
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';
/** A lock was not given in time, or a statement has taken too long, which may have waited for one. */
const WAITED = ['55P03', '57014'];

/** @param error undefined: no answer within the limit */
export async function databaseFailed(services: AskedDatabase, error: unknown): Promise<Finding | null> {
  const code = codeOf(error);
  if (OLD_SCHEMA.test(code)) return null;
  const asked = await askLocks(services.config.databaseUrl);
  const hasWaited = error === undefined || WAITED.includes(code);
  if (hasWaited && 'lock' in asked && asked.lock !== undefined) return isLocked(asked.lock);
  const refusal = 'error' in asked ? codeOf(asked.error) : '';
  if (refusal === TOO_MANY_CONNECTIONS) return hasNoConnectionLeft(usedOf(services) > 0);
  if (usedOf(services) >= services.config.databasePoolMax) {
    return {
      status: 'degraded',
      message: 'requests use all connections of this process to the database',
      cure: 'start more web processes or raise DATABASE_POOL_MAX; if it lasts, look for slow statements in pg_stat_activity',
    };
  }
  if ('error' in asked) {
    const cure = DATABASE_CURES[code] ?? DATABASE_CURES[refusal] ?? DATABASE_CURE;
    return { status: 'down', message: 'the database does not answer', cure };
  }
  if (SQL_STATE.test(code)) {
    return { status: 'degraded', message: 'the database answers with errors', cure: 'read the log of Postgres' };
  }
  return {
    status: 'degraded',
    message: 'a connection to the database was lost or has gone silent, and new ones work',
    cure: 'wait: silent connections are replaced within 15 s; if it recurs, look for a firewall or proxy that drops connections',
  };
}

const DATABASE_CURE = 'start Postgres, and make sure that this host reaches the address in DATABASE_URL';
const DATABASE_CURES: Readonly<Record<string, string>> = {
  '28P01': 'correct the password in DATABASE_URL',
  '28000': 'correct the user in DATABASE_URL, or allow it in pg_hba.conf',
  '3D000': 'create the database that DATABASE_URL names, then run npm run release',
  '57P03': 'wait: Postgres is starting or recovering',
};

// Locks on what every request reads

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
async function askLocks(url: string): Promise<{ lock: FoundLock | undefined } | { error: unknown }> {
  try {
    const [lock] = await askOnNewConnection<FoundLock>(url, 'longshore-readiness', LOCKS, [CHECKED_TABLES]);
    return { lock };
  } catch (error) {
    return { error };
  }
}

function isLocked({ table, session }: FoundLock): Finding {
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

// Connections

/** @param isServed whether this process has a connection that works */
function hasNoConnectionLeft(isServed: boolean): Finding {
  return {
    status: isServed ? 'degraded' : 'down',
    message: 'Postgres has no connection left (max_connections): it refuses new ones',
    cure: 'raise max_connections, lower DATABASE_POOL_MAX, run fewer processes, or end other sessions of this Postgres',
  };
}

/** Finds that Postgres will refuse the next connection, while those that are open work. */
export async function connectionsLeft(db: Db): Promise<Finding | null> {
  const { rows } = await db.raw<{ rows: { isFull: boolean }[] }>(
    `SELECT count(*) >= current_setting('max_connections')::integer
         - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true)::integer, 0) AS "isFull"
     FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  );
  return rows[0]?.isFull === true ? hasNoConnectionLeft(true) : null;
}

/** How many connections of this process requests use. */
function usedOf({ db }: AskedDatabase): number {
  const pool: unknown = db.client.pool;
  if (typeof pool !== 'object' || pool === null || !('numUsed' in pool)) return 0;
  const { numUsed } = pool;
  return typeof numUsed === 'function' ? Number(numUsed.call(pool)) : 0;
}

// Writes

/** @throws the same error when it has only waited for a lock: then reads may wait, too */
export function refusedWrite(error: unknown): Finding | null {
  const code = codeOf(error);
  if (WAITED.includes(code)) throw error;
  if (OLD_SCHEMA.test(code)) return null;
  const cure =
    code === DISK_FULL
      ? 'free space on the disk of Postgres'
      : code === READ_ONLY
        ? 'point DATABASE_URL to the primary server: this one is read-only'
        : 'read the log of Postgres';
  const needsPerson = code === DISK_FULL || code === READ_ONLY ? { needsPerson: true as const } : {};
  return { status: 'degraded', message: 'the database is readable and refuses to write', cure, ...needsPerson };
}

export function isRefusedWrite(error: unknown): boolean {
  return [DISK_FULL, READ_ONLY].includes(codeOf(error));
}
