/** Finds that Postgres has no connections left. */
import type { Db } from '../../../db/connection.js';
import type { Finding } from './findings.js';

/** @param isServed whether this process has a connection that works */
export function hasNoConnectionLeft(isServed: boolean): Finding {
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
