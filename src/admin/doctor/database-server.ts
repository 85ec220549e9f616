/** Examines the server of the database: its version, settings, clock and connections. */
import type { Db } from '../../../db/connection.js';
import type { Config } from '../../config/config.js';
import { workerConnections } from '../../workers/connections.js';
import { examineClock } from './clock.js';
import type { Finding } from './finding.js';

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly in_recovery: boolean;
  readonly read_only: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly autovacuum: string;
  readonly max_connections: number;
  readonly reserved: number;
  readonly role_limit: number;
  readonly database_limit: number;
  readonly temporary: boolean;
  readonly now_ms: number;
}

const OLDEST_POSTGRES = 140_000;

export async function examineServer(config: Config, db: Db, now: () => number): Promise<Finding[]> {
  const asked = now();
  const { rows } = await db.raw<{ rows: ServerFacts[] }>(`
    SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS in_recovery, current_setting('default_transaction_read_only') AS read_only,
      current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit, current_setting('autovacuum') AS autovacuum,
      current_setting('max_connections')::integer AS max_connections,
      current_setting('superuser_reserved_connections')::integer
        + coalesce(current_setting('reserved_connections', true)::integer, 0) AS reserved,
      (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role_limit,
      (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS database_limit,
      has_database_privilege(current_database(), 'TEMPORARY') AS temporary,
      extract(epoch FROM clock_timestamp()) * 1000 AS now_ms`);
  const [facts] = rows;
  if (facts === undefined) return [];
  const clock = examineClock('Postgres', Number(facts.now_ms), (asked + now()) / 2);
  const mistakes: Finding[] = [];
  const wrong = (found: string, cure: string) =>
    mistakes.push({ check: 'database settings', status: 'wrong', found, cure });
  const warn = (found: string, cure: string) =>
    mistakes.push({ check: 'database settings', status: 'warning', found, cure });
  const version = Math.floor(facts.version / 10_000);
  if (facts.version < OLDEST_POSTGRES) wrong(`Postgres ${version} is too old`, 'use Postgres 14 or newer');
  if (facts.encoding !== 'UTF8')
    wrong(`the database is encoded as ${facts.encoding}`, "create it with ENCODING 'UTF8'");
  if (facts.in_recovery) wrong('the server is a replica', 'point DATABASE_URL to the primary server');
  if (facts.read_only === 'on') {
    wrong(
      'default_transaction_read_only is on',
      'ALTER DATABASE … RESET default_transaction_read_only, or of the role',
    );
  }
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'] as const) {
    if (facts[name] !== 'off') continue;
    wrong(
      `${name} is off: a crash of the server loses accepted work`,
      `set ${name} to on, for the server, database and role`,
    );
  }
  if (facts.autovacuum === 'off') warn('autovacuum is off: tables only grow', 'set autovacuum to on');
  if (!facts.temporary && config.redisUrl === undefined) {
    wrong('the role may not make temporary tables, which the queues need', 'GRANT TEMPORARY ON DATABASE … TO the role');
  }
  return [
    ...(mistakes.length > 0
      ? mistakes
      : [{ check: 'database settings', status: 'ok' as const, found: `Postgres ${version}` }]),
    clock,
    examineConnections(config, facts),
  ];
}

/** What a web process uses besides its pool: for enqueueing, for the ends of jobs, and to look at silent connections. */
const BESIDE_OF_WEB = 5;

/** Of one web and one worker process, as docs/run/install.md counts them. */
function examineConnections(config: Config, facts: ServerFacts): Finding {
  const needed = config.databasePoolMax + BESIDE_OF_WEB + workerConnections(config);
  const limits = [
    { what: 'max_connections of the server', limit: facts.max_connections - facts.reserved },
    { what: 'the CONNECTION LIMIT of the role', limit: facts.role_limit },
    { what: 'the CONNECTION LIMIT of the database', limit: facts.database_limit },
  ].filter(({ limit }) => limit >= 0);
  const [least] = limits.sort((a, b) => a.limit - b.limit);
  const check = 'connections';
  const found = `one web and one worker process use up to ${needed} connections, and ${least?.what} leaves ${least?.limit}`;
  if (least === undefined || least.limit >= needed) return { check, status: 'ok', found };
  return {
    check,
    status: 'wrong',
    found,
    cure: `raise ${least.what}, or lower DATABASE_POOL_MAX and the concurrencies`,
  };
}
