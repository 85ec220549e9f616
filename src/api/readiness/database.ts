/** What readiness says of the database when it does not work: what is wrong, and what to do. */
import type { Db } from '../../../db/connection.js';
import type { Config } from '../../config/config.js';
import { hasNoConnectionLeft } from './connections.js';
import { codeOf, type Finding } from './findings.js';
import { askLocks, isLocked } from './locks.js';
import { OLD_SCHEMA, WAITED } from './sql-states.js';

interface AskedDatabase {
  readonly db: Db;
  readonly config: Config;
}

/** The code of an error that Postgres has sent, unlike those of the system, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
const TOO_MANY_CONNECTIONS = '53300';

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
/** By the code of the error of Postgres. */
export const DATABASE_CURES: Readonly<Record<string, string>> = {
  '28P01': 'correct the password in DATABASE_URL',
  '28000': 'correct the user in DATABASE_URL, or allow it in pg_hba.conf',
  '3D000': 'create the database that DATABASE_URL names, then run npm run release',
  '57P03': 'wait: Postgres is starting or recovering',
};

/** How many connections of this process requests use. */
function usedOf({ db }: AskedDatabase): number {
  const pool: unknown = db.client.pool;
  if (typeof pool !== 'object' || pool === null || !('numUsed' in pool)) return 0;
  const { numUsed } = pool;
  return typeof numUsed === 'function' ? Number(numUsed.call(pool)) : 0;
}
