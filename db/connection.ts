/** The connection to Postgres: one pool per process, which is passed as a parameter; nothing is bound globally. */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';

/** A pool, or a transaction of it: services are written for either. */
export type Db = Knex;

// All int8 values of this schema fit into a double. Dates are returned as Date, which is pg's default.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

interface ConnectOptions {
  readonly url: string;
  readonly poolMax: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** How long to wait for a new or released connection before it is an error. Default: 15 s. */
  readonly acquireMs?: number;
  /** How long a statement waits for a lock before it is an error (55P03). Default: no limit. */
  readonly lockWaitMs?: number;
}

const ACQUIRE_MS = 15_000;

/** Errors are thrown to the caller, so knex does not write them to standard output as well. */
const SILENT = { warn: () => undefined };

/** Opens a pool. Connections are made on first use; close with `db.destroy()`. */
export function connectDb({ url, poolMax, name, acquireMs = ACQUIRE_MS, lockWaitMs }: ConnectOptions): Db {
  return knexModule({
    client: 'pg',
    connection: { connectionString: url, application_name: name, connectionTimeoutMillis: acquireMs },
    pool: {
      min: 0,
      max: poolMax,
      idleTimeoutMillis: 30_000,
      ...(lockWaitMs === undefined ? {} : { afterCreate: limitLockWaits(lockWaitMs) }),
    },
    acquireConnectionTimeout: acquireMs,
    log: SILENT,
    // Messages of errors contain the statement without its bound values: personal data and secrets stay out of logs.
    compileSqlOnError: false,
  });
}

/** Sets the limit on each new connection; connection poolers would refuse it as a start-up parameter. */
function limitLockWaits(ms: number) {
  return (client: pg.Client, done: (error: Error | null, client: pg.Client) => void): void => {
    client.query(`SET lock_timeout = ${ms}`, (error) => done(error, client));
  };
}
