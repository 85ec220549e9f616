/** Starts the server of an embedded Postgres on a port that is free. */
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../free-port.js';
import { LaunchError } from '../launch-error.js';
import { findServerUser } from '../server-user.js';
import type { SupervisedProcess } from '../supervised-process.js';
import { locatePostgres } from './binaries.js';
import { clusterExists, createCluster, resetPassword } from './cluster.js';
import { findPostgresHome, knownHome } from './home.js';
import { endOrphans } from './orphans.js';
import { PostgresServer } from './server.js';
import { newPassword, readPostgresState, writePostgresState } from './state.js';

const STOP_WITHIN_MS = 8_000;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** For root only: whether the data may be elsewhere if the server's user cannot enter `dataDir`. Default: no. */
  readonly mayMove?: boolean | undefined;
  /** False for data that need not survive a crash of the machine. Default: true. */
  readonly durable?: boolean | undefined;
  /** Whether a server that ends unexpectedly is started again. Default: true. */
  readonly restart?: boolean | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  /** Called with messages for people. Default: they are dropped. */
  readonly say?: ((line: string) => void) | undefined;
}

export interface EmbeddedPostgres {
  readonly process: SupervisedProcess;
  readonly port: number;
  /** The URL of a database, `longshore` by default. The database need not exist. */
  databaseUrl(database?: string): string;
  /** Creates a database if it does not exist yet. */
  createDatabase(database: string): Promise<void>;
  /** Stops the server. After `withinMs` (8 s) it is ended at once, and recovers at its next start. */
  stop(withinMs?: number): Promise<void>;
}

/** Postgres cannot listen on any free port, so this finds one, and another one if it is taken meanwhile. */
const PORTS_TRIED = 5;
/** What Postgres says then, in the language that it is started with. */
const PORT_IN_USE = 'Address already in use';

interface StartedServer extends Pick<PostgresServer, 'process' | 'databaseUrl' | 'stop'> {
  readonly port: number;
}

export async function startServer(
  dataDir: string,
  options: EmbeddedPostgresOptions,
  removeAfterOurDeath: string | undefined,
): Promise<StartedServer> {
  const { durable = true, restart = true, mayMove = false, say = () => undefined } = options;
  const user = findServerUser(join(knownHome(dataDir), 'postgres'));
  const binaries = locatePostgres(user);
  const home = findPostgresHome({ dataDir, mayMove, say }, user);
  const state = readPostgresState(dataDir);
  const password = state?.password ?? newPassword();
  const cluster = join(home, 'postgres');
  const clusterOptions = { folder: cluster, binaries, user, password, durable };
  await endOrphans(cluster, say);
  const kept = { password, home: home === dataDir ? undefined : home };
  // The state is written before the cluster, so that the password is not lost with a crash in between.
  writePostgresState(dataDir, { ...kept, port: state?.port });
  if (!clusterExists(cluster, binaries)) {
    if (durable) say('preparing the database (once)');
    await createCluster(clusterOptions);
  } else if (state === undefined) {
    await resetPassword(clusterOptions);
  }
  const logFile = join(dataDir, 'postgres.log');
  for (let wanted = state?.port, tries = 1; ; wanted = undefined, tries++) {
    const port = await freePort(wanted);
    writePostgresState(dataDir, { ...kept, port });
    const server = new PostgresServer({
      ...{ cluster, binaries, user, password, port, durable, restart, logFile, removeAfterOurDeath, say },
    });
    options.signal?.throwIfAborted();
    try {
      await server.start(options.signal);
      return Object.assign(server, { port });
    } catch (error) {
      // Another program took the port between the look and the start.
      if (tries === PORTS_TRIED || !(error instanceof LaunchError && error.message.includes(PORT_IN_USE))) throw error;
    }
  }
}

export function embedded(server: StartedServer, stop: (withinMs: number) => Promise<void>): EmbeddedPostgres {
  const databaseUrl = (database = 'longshore') => server.databaseUrl(database);
  return {
    process: server.process,
    port: server.port,
    databaseUrl,
    createDatabase: (database) => createDatabase(databaseUrl('postgres'), database),
    stop: (withinMs = STOP_WITHIN_MS) => stop(withinMs),
  };
}

async function createDatabase(adminUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  // If the server ends, the statement fails, so this event need not be handled.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
