/** An embedded Postgres, for installations without DATABASE_URL. Its data are under DATA_DIR, and it ends with us. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { lockDataDir, openDataDir } from './data-dir.js';
import { freePort } from './free-port.js';
import { LaunchError } from './launch-error.js';
import { locatePostgres } from './postgres/binaries.js';
import { clusterExists, createCluster, resetPassword } from './postgres/cluster.js';
import { findPostgresHome, knownHome } from './postgres/home.js';
import { endOrphans } from './postgres/orphans.js';
import { PostgresServer } from './postgres/server.js';
import { newPassword, readPostgresState, writePostgresState } from './postgres/state.js';
import { findServerUser, firstClosedFolder } from './server-user.js';
import type { SupervisedProcess } from './supervised-process.js';

const STOP_WITHIN_MS = 8_000;

interface EmbeddedPostgresOptions {
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

/**
 * Starts Postgres with the data under `dataDir`, which are created at the first start.
 * @throws LaunchError with a sentence for the person, when it cannot be started
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const lock = lockDataDir(dataDir, 'postgres.lock');
  try {
    const server = await startServer(dataDir, options, undefined);
    return embedded(server, async (withinMs) => {
      await server.stop(withinMs);
      lock.release();
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Starts Postgres with temporary data that are removed at the end, for tests and benchmarks.
 * @internal exported for tests
 */
export async function startThrowawayPostgres(options: { durable: boolean }): Promise<EmbeddedPostgres> {
  const dataDir = temporaryFolder();
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startServer(dataDir, { ...options, dataDir, restart: false }, dataDir);
    return embedded(server, async () => {
      // The data are not needed any more, so the server need not write them first.
      await server.stop(0);
      remove();
    });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Postgres cannot listen on any free port, so this finds one, and another one if it is taken meanwhile. */
const PORTS_TRIED = 5;
/** What Postgres says then, in the language that it is started with. */
const PORT_IN_USE = 'Address already in use';

interface StartedServer extends Pick<PostgresServer, 'process' | 'databaseUrl' | 'stop'> {
  readonly port: number;
}

async function startServer(
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

function embedded(server: StartedServer, stop: (withinMs: number) => Promise<void>): EmbeddedPostgres {
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

/** Creates a temporary folder that the server's user can enter, even if it cannot enter TMPDIR. */
function temporaryFolder(): string {
  const user = findServerUser('/nonexistent');
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (firstClosedFolder(user, parent) !== undefined) continue;
    const folder = mkdtempSync(join(parent, 'longshore-'));
    if (user.ids !== undefined) chmodSync(folder, 0o755);
    return folder;
  }
  throw new LaunchError(
    `${user.label} cannot enter any folder for temporary files: set TMPDIR to a folder that it can enter.`,
  );
}
