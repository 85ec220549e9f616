/** The connection to Postgres: one pool per process, which is passed as a parameter; nothing is bound globally. */
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { type ConnectionWatch, type OnActivity, watchConnections } from './connection-watch.js';
import { type PreparingParams, renewPlans } from './prepared.js';

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
  /** How long a statement may run before it is an error (57014). Default: no limit. */
  readonly statementMs?: number;
  /** Whether hot statements are prepared once a connection. Default: true. */
  readonly preparesStatements?: boolean;
  /** Finds connections that have gone silent. Default: one for this pool alone. */
  readonly watch?: ConnectionWatch;
  /** Called when a connection of this pool is used. */
  readonly onActivity?: OnActivity;
}

const ACQUIRE_MS = 15_000;

/** Errors are thrown to the caller, so knex does not write them to standard output as well. */
const SILENT = { warn: () => undefined };

/** Before the first probe of an idle TCP connection; without it the system waits for two hours. */
export const KEEP_ALIVE_MS = 10_000;

/** Opens a pool. Connections are made on first use; close with `db.destroy()`. */
export function connectDb(options: ConnectOptions): Db {
  const {
    url,
    poolMax,
    name,
    acquireMs = ACQUIRE_MS,
    lockWaitMs,
    statementMs,
    preparesStatements = true,
    watch = watchConnections({ url }),
    onActivity,
  } = options;
  const settings = {
    ...(lockWaitMs === undefined ? {} : { lock_timeout: String(lockWaitMs) }),
    ...(statementMs === undefined ? {} : { statement_timeout: String(statementMs) }),
  };
  const userParams: PreparingParams = { preparesStatements };
  const db = knexModule({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: acquireMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    },
    pool: {
      min: 0,
      max: poolMax,
      idleTimeoutMillis: 30_000,
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        watch.add(client, settings, onActivity).then(
          () => {
            if (preparesStatements) renewPlans(client);
            done(null, client);
          },
          (error: Error) => done(error, client),
        );
      },
    },
    acquireConnectionTimeout: acquireMs,
    log: SILENT,
    // Messages of errors contain the statement without its bound values: personal data and secrets stay out of logs.
    compileSqlOnError: false,
  });
  db.userParams = userParams;
  return db;
}

/** For each of the steps of a new connection. */
const NEW_CONNECTION_MS = 2_000;

/**
 * Asks the database on a connection of its own, within a few seconds. @param name shown in pg_stat_activity
 * @throws the error of the database, or of the connection to it
 */
export async function askOnNewConnection<Row extends pg.QueryResultRow>(
  url: string,
  name: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const limits = { connectionTimeoutMillis: NEW_CONNECTION_MS, query_timeout: NEW_CONNECTION_MS };
  const client = new pg.Client({ connectionString: url, application_name: name, ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Whether the database answers on a new connection within a few seconds. */
export function answersNewConnections(url: string): Promise<boolean> {
  return askOnNewConnection(url, 'longshore-watchdog', 'SELECT 1').then(
    () => true,
    () => false,
  );
}
