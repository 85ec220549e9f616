/** The connection to Postgres: one pool a process, handed to whoever needs it; nothing is bound globally. */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';

/** A pool, or a transaction of it: services are written for either. */
export type Db = Knex;

// int8 and numeric counters fit a double here; dates are wanted as Date, which is pg's default.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

interface ConnectOptions {
  readonly url: string;
  readonly poolMax: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** How long to wait for a connection, new or given back, before it is an error. Default 15 s. */
  readonly acquireMs?: number;
  /** How long a statement waits for another's lock before it is an error (55P03). Default: as long as it takes. */
  readonly lockWaitMs?: number;
}

const ACQUIRE_MS = 15_000;

/** What goes wrong is thrown to whoever asked: knex need not write it to standard output as well. */
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
    // An error's message names the statement, not what was bound to it: people's data and secrets stay out of logs.
    compileSqlOnError: false,
  });
}

/** Each connection when it is new; as a start-up parameter it would be refused by poolers. */
function limitLockWaits(ms: number) {
  return (client: pg.Client, done: (error: Error | null, client: pg.Client) => void): void => {
    client.query(`SET lock_timeout = ${ms}`, (error) => done(error, client));
  };
}
