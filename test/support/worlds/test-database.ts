/** One Postgres for the whole run, started when the first test needs it, and a database of its own for each suite. */
import pg from 'pg';
import { migrateDatabase } from '../../../db/migrate.js';
import type { EmbeddedPostgres } from '../../../src/launcher/postgres/start-server.js';
import { testEnvironment } from './test-environment.js';
import { startThrowawayPostgres } from './throwaway-postgres.js';

const TEMPLATE = `longshore_template_${process.pid}`;

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Removes the database, ending whatever is still connected to it. */
  drop(): Promise<void>;
}

interface Server {
  urlOf(database: string): string;
  /** How the template is copied: a clause of CREATE DATABASE. */
  readonly copying: string;
  stop(): Promise<void>;
}

let server: Promise<Server> | undefined;
let lastNumber = 0;

/**
 * Starts the run's Postgres before the first suite asks for it: on a machine that is busy this takes longer than the hook of a
 * suite may. If it fails, those fail that ask for it.
 */
export async function prepareTestPostgres(): Promise<void> {
  server ??= startServer();
  await server.catch(() => undefined);
}

/** A migrated, empty database. Suites that make one in `before` drop it in `after`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  server ??= startServer();
  const { urlOf, copying } = await server;
  lastNumber += 1;
  const name = `longshore_test_${process.pid}_${lastNumber}`;
  await administer(urlOf, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} ${copying}`);
  return { name, url: urlOf(name), drop: () => administer(urlOf, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Ends the run's Postgres, if any test has started it. */
export async function stopTestPostgres(): Promise<void> {
  const started = server;
  server = undefined;
  // One that did not start has failed the tests that asked for it.
  await started?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
}

async function startServer(): Promise<Server> {
  const { databaseUrl } = testEnvironment();
  const base =
    databaseUrl === undefined ? fromEmbedded(await startThrowawayPostgres({ durable: false })) : given(databaseUrl);
  try {
    await administer(base.urlOf, `DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`, `CREATE DATABASE ${TEMPLATE}`);
    await migrateDatabase(base.urlOf(TEMPLATE));
    return base;
  } catch (error) {
    await base.stop();
    throw error;
  }
}

function fromEmbedded(embedded: EmbeddedPostgres): Server {
  // The default, which writes every page to the log, takes twice the processor time, and there are hundreds of databases.
  return { urlOf: embedded.databaseUrl, copying: 'STRATEGY FILE_COPY', stop: () => embedded.stop() };
}

/** A server that outlives us: it gets its template removed. */
function given(databaseUrl: string): Server {
  const urlOf = (database: string) => {
    const url = new URL(databaseUrl);
    url.pathname = `/${database}`;
    return url.href;
  };
  return { urlOf, copying: '', stop: () => administer(urlOf, `DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`) };
}

async function administer(urlOf: Server['urlOf'], ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  // A server that goes away fails the statement; this event repeats it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
