/** `npm run admin -- doctor`: looks for mistakes in how this installation is set up, and says what to do about each. */
import { distance } from 'fastest-levenshtein';
import { connectDb, type Db } from '../../db/connection.js';
import { seenProcesses } from '../../db/heartbeats.js';
import { unknownMigrations } from '../../db/migrate.js';
import { createReadiness } from '../api/readiness.js';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../config/admin-config.js';
import { type Config, ConfigError, loadConfig, SETTINGS } from '../config/config.js';
import { isSealedWithNewest } from '../domain/access/sealed-secret.js';
import { allUnreferredJobs } from '../domain/jobs/reconcile-jobs.js';
import { within } from '../platform/concurrency/within.js';
import { createLogger } from '../platform/logger.js';
import { openFileStore } from '../platform/open-file-store.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { openRedis, redisServers } from '../platform/redis.js';
import { VERSION } from '../platform/version.js';
import { createProducer } from '../queues/producer.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface Finding {
  readonly check: string;
  /** `wrong` needs a change; `warning` may be intended. */
  readonly status: 'ok' | 'warning' | 'wrong';
  readonly found: string;
  readonly cure?: string;
}

/** A check that takes longer does not work. */
const CHECK_MS = 8_000;
const CLOSE_MS = 1_000;

/**
 * Examines settings, versions, schema, permissions, clocks, Redis, the file store and connections.
 * @param now the clock of this machine, in milliseconds; for tests
 * @returns what it found, the mistakes first
 */
export async function examine(environment: Environment, now: () => number = Date.now): Promise<Finding[]> {
  const { config, findings } = examineSettings(environment);
  findings.push(versionOf(process.versions.node));
  if (config !== undefined) findings.push(...(await examineSystem(config, now)));
  const order = ['wrong', 'warning', 'ok'];
  return findings.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

function versionOf(node: string): Finding {
  return { check: 'version', status: 'ok', found: `Longshore ${VERSION}, Node ${node}` };
}

// Settings

interface Settings {
  /** Undefined: the database is not known, and nothing else can be examined. */
  readonly config: Config | undefined;
  readonly findings: Finding[];
}

/** Wrong variables are left out afterwards, so that one mistake does not hide the others. */
function examineSettings(environment: Environment): Settings {
  const findings = misspelled(environment);
  let settings: Environment = environment;
  for (const [name, load] of [
    ['DATABASE_URL', () => loadAdminDatabaseUrl(environment)],
    ['SECRETS_KEY', () => loadAdminSecretsKeys(environment).join(',')],
  ] as const) {
    try {
      settings = { ...settings, [name]: load() };
    } catch (error) {
      findings.push(wrongSetting(name, messageOf(error)));
      settings = { ...settings, [name]: name === 'SECRETS_KEY' ? '-'.repeat(32) : undefined };
    }
  }
  // A second mistake of the same variable may only show when the first is gone.
  for (let round = 0; round < 3; round++) {
    try {
      const config = loadConfig(settings);
      if (findings.length === 0) findings.push({ check: 'settings', status: 'ok', found: 'all variables are valid' });
      return { config: Object.freeze({ ...config }), findings };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.message.split('\n')) {
        const [, name = '', problem = line] = /^([A-Z_]+): (.*)$/.exec(line) ?? [];
        if (!findings.some(({ found }) => found.startsWith(`${name}: `))) findings.push(wrongSetting(name, problem));
        settings = { ...settings, [name]: REPLACEMENTS[name] };
      }
      if (settings.DATABASE_URL === undefined) break;
    }
  }
  return { config: undefined, findings };
}

/** Instead of required variables that are wrong, so that the rest can be examined. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  SECRETS_KEY: '-'.repeat(32),
  PUBLIC_URL: 'http://localhost',
  STORAGE_SHARED: '1',
};

function wrongSetting(name: string, problem: string): Finding {
  return {
    check: 'settings',
    status: 'wrong',
    found: `${name}: ${problem}`,
    cure: `correct ${name} in the environment`,
  };
}

/** Names so short differ from others by chance. */
const SHORTEST_NAME = 7;
const MOST_TYPOS = 2;

/** Variables that have almost the name of one of ours. */
function misspelled(environment: Environment): Finding[] {
  const names = Object.keys(environment).filter((name) => name.length >= SHORTEST_NAME && !SETTINGS.includes(name));
  return names.flatMap((name) => {
    const meant = SETTINGS.find((known) => environment[known] === undefined && distance(known, name) <= MOST_TYPOS);
    if (meant === undefined || meant.length < SHORTEST_NAME) return [];
    const found = `${name} is set, which Longshore does not read, and ${meant} is not`;
    return [
      { check: 'settings', status: 'warning' as const, found, cure: `rename ${name} to ${meant} if that is meant` },
    ];
  });
}

// The running parts

async function examineSystem(config: Config, now: () => number): Promise<Finding[]> {
  const logger = createLogger('doctor', 'silent');
  const db = connectDb({ url: config.databaseUrl, poolMax: 2, name: 'longshore-doctor', acquireMs: CHECK_MS / 2 });
  const onConnect = async () => undefined;
  const queue = openQueueConnection({ ...config, role: 'producer', poolMax: 2, onConnect, logger });
  const producer = createProducer(queue, () => undefined);
  const fileStore = openFileStore(config.storage);
  const readiness = createReadiness({ config, db, logger, producer, fileStore });
  try {
    // The queue connects first; otherwise its part would fail only because it has just begun.
    await within(queue.ping(), CHECK_MS / 4);
    const { parts } = await readiness.report();
    const findings = Object.entries(parts).map(([part, { status, message, cure }]): Finding => {
      if (status === 'ok') return { check: part, status, found: 'works' };
      const isUnknown = message?.startsWith('not known') === true;
      const isWrong = !isUnknown && (status === 'down' || (part !== 'workers' && part !== 'steps'));
      return {
        check: part,
        status: isWrong ? 'wrong' : 'warning',
        found: message ?? status,
        ...(cure ? { cure } : {}),
      };
    });
    const more: (readonly [string, Promise<Finding[]>])[] = [['redis', examineRedis(config, now)]];
    if (parts.database?.status !== 'down') {
      more.push(['database settings', examineServer(config, db, now)], ['permissions', examinePermissions(config, db)]);
      if (parts.schema?.status === 'ok' && parts.database?.status === 'ok') {
        more.push(
          ['secrets', examineSecrets(config, db)],
          ['processes', examineProcesses(db)],
          ['jobs', examineJobs(db)],
        );
      }
    }
    return [...findings, ...(await Promise.all(more.map(([check, result]) => inTime(check, result)))).flat()];
  } finally {
    await within(readiness.close(), CLOSE_MS);
    await within(producer.close(), CLOSE_MS);
    await within(Promise.all([queue.close(), db.destroy()]), CLOSE_MS);
  }
}

/** A check that fails is a finding of its own. */
async function inTime(check: string, result: Promise<Finding[]>): Promise<Finding[]> {
  try {
    if (await within(result, CHECK_MS)) return await result;
    return [{ check, status: 'wrong', found: `no answer within ${CHECK_MS / 1000} s`, cure: 'see the other findings' }];
  } catch (error) {
    return [{ check, status: 'wrong', found: messageOf(error), cure: 'see the other findings' }];
  }
}

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

async function examineServer(config: Config, db: Db, now: () => number): Promise<Finding[]> {
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

/** Of one web and one worker process, as docs/run/operations.md counts them. */
function examineConnections(config: Config, facts: ServerFacts): Finding {
  const worker = Math.max(
    config.databasePoolMax,
    config.planConcurrency + config.chunkConcurrency,
    2 * config.exportConcurrency,
    12,
  );
  const needed = config.databasePoolMax + 5 + worker + 5 + (config.redisUrl === undefined ? 15 : 0);
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

const CLOCK_WARNING_MS = 2_000;
const CLOCK_WRONG_MS = 30_000;

function examineClock(other: string, theirs: number, ours: number): Finding {
  const apart = Math.abs(theirs - ours);
  const found = `the clocks of this machine and of ${other} differ by ${(apart / 1000).toFixed(1)} s`;
  const check = 'clock';
  if (apart < CLOCK_WARNING_MS) return { check, status: 'ok', found };
  const cure = 'synchronise the clocks of all machines (NTP): URLs expire and steps are due by them';
  return { check, status: apart < CLOCK_WRONG_MS ? 'warning' : 'wrong', found, cure };
}

async function examinePermissions(config: Config, db: Db): Promise<Finding[]> {
  const schemas = ['public', ...(config.redisUrl === undefined ? [config.queuePrefix] : [])];
  const { rows } = await db.raw<{ rows: { name: string; missing: string }[] }>(
    `SELECT relation.name, string_agg(privilege, ', ' ORDER BY privilege) AS missing
     FROM (SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS name, c.relkind FROM pg_class AS c
           JOIN pg_namespace AS n ON n.oid = c.relnamespace
           WHERE n.nspname = ANY(?) AND c.relkind IN ('r', 'p', 'S')) AS relation
     CROSS JOIN unnest(CASE relkind WHEN 'S' THEN ARRAY['USAGE'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END)
       AS privilege
     WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, privilege) ELSE has_table_privilege(oid, privilege) END
     GROUP BY relation.name ORDER BY relation.name`,
    [schemas],
  );
  const check = 'permissions';
  if (rows.length === 0) return [{ check, status: 'ok', found: 'the role of DATABASE_URL may use all tables' }];
  const [first] = rows;
  const others = rows.length > 1 ? `, and privileges on ${rows.length - 1} more` : '';
  const found = `the role of DATABASE_URL lacks ${first?.missing} on ${first?.name}${others}`;
  return [
    {
      check,
      status: 'wrong',
      found,
      cure: 'let it own the tables, or GRANT it SELECT, INSERT, UPDATE, DELETE on them',
    },
  ];
}

async function examineSecrets(config: Config, db: Db): Promise<Finding[]> {
  // A sealed text says which key has sealed it.
  const { rows } = await db.raw<{ rows: { sealed: string; count: number }[] }>(
    `SELECT min(sealed) AS sealed, count(*)::integer AS count
     FROM (SELECT callback_secret AS sealed FROM account
           UNION ALL SELECT secret FROM webhook_definition
           UNION ALL SELECT headers FROM webhook_definition
           UNION ALL SELECT target_api_key FROM webhook_definition) AS secret
     WHERE sealed IS NOT NULL GROUP BY split_part(sealed, '.', 2)`,
  );
  const unopened = rows.filter(({ sealed }) => !config.secretsKeys.some((key) => isSealedWithNewest([key], sealed)));
  const unknown = unopened.reduce((sum, { count }) => sum + count, 0);
  const check = 'secrets';
  if (unknown === 0) return [{ check, status: 'ok', found: 'SECRETS_KEY opens all stored secrets' }];
  const found = `SECRETS_KEY does not open ${unknown} stored secrets of webhooks and callbacks`;
  return [{ check, status: 'wrong', found, cure: 'add the key that encrypted them to the list in SECRETS_KEY' }];
}

async function examineProcesses(db: Db): Promise<Finding[]> {
  const [newer, processes] = await Promise.all([unknownMigrations(db), seenProcesses(db)]);
  const findings: Finding[] = [];
  if (newer.length > 0) {
    const found = `the database has ${newer.length} migrations of a newer release, such as ${newer[0]}`;
    findings.push({
      check: 'processes',
      status: 'warning',
      found,
      cure: 'finish the upgrade: replace the processes of the old release',
    });
  }
  const others = processes.filter(({ isLiving, version }) => isLiving && version !== VERSION);
  if (others.length > 0) {
    const found = `${others.length} processes run another release than this one (${others[0]?.version} on ${others[0]?.host})`;
    findings.push({
      check: 'processes',
      status: 'warning',
      found,
      cure: 'finish the upgrade: restart them from the same build',
    });
  }
  if (findings.length > 0) return findings;
  const living = processes.filter(
    ({ isLiving, groups, pid }) => isLiving && !(groups === 'web' && pid === process.pid),
  );
  return [{ check: 'processes', status: 'ok', found: `${living.length} live, all of this release` }];
}

/** Jobs that changed in so short a time may be about to get what they lack. */
const JOB_GRACE_MS = 15_000;
const NAMED_JOBS = 5;

/** Looks at as many jobs as there is time for, the newest first. */
async function examineJobs(db: Db): Promise<Finding[]> {
  const check = 'jobs';
  const endsBy = performance.now() + CHECK_MS / 2;
  const ids: string[] = [];
  let isComplete = true;
  for await (const page of allUnreferredJobs(db, JOB_GRACE_MS)) {
    for (const { id } of page) ids.push(id);
    isComplete = performance.now() < endsBy;
    if (!isComplete) break;
  }
  if (ids.length === 0) {
    const which = isComplete ? 'every job' : 'each of the newest jobs';
    return [{ check, status: 'ok', found: `something refers to ${which} that has not ended` }];
  }
  const named = ids.slice(0, NAMED_JOBS).join(', ');
  const found = `nothing refers to ${ids.length === 1 ? '1 job that has' : `${ids.length} jobs that have`} not ended: ${named}${ids.length > NAMED_JOBS ? ' and others' : ''}`;
  const cure =
    'stop processes of an older release, and let a maintenance process of this one run, which repairs most such jobs within minutes; cancel those that are left, and send them again';
  return [{ check, status: 'wrong', found, cure }];
}

// Redis

const OLDEST_REDIS = [6, 2] as const;
const FULL = 0.9;

async function examineRedis({ redisUrl, redisTls }: Config, now: () => number): Promise<Finding[]> {
  if (redisUrl === undefined) return [];
  const client = openRedis(redisUrl, { tls: redisTls, failsFast: false });
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  try {
    const servers = redisServers(client);
    if (!(await within(servers, CHECK_MS / 2))) {
      const found = `it does not answer${lastError === undefined ? '' : `: ${messageOf(lastError)}`}`;
      return [{ check: 'redis', status: 'wrong', found, cure: cureOf(messageOf(lastError)) }];
    }
    return (await servers).flatMap((server) => {
      const { address, version, policy, evicts, role, usedBytes, maxBytes, clockMs, askedAtMs } = server;
      const mistakes: Finding[] = [];
      const say = (status: 'wrong' | 'warning', found: string, cure: string) =>
        mistakes.push({ check: 'redis', status, found: `${address}: ${found}`, cure });
      const [major = 0, minor = 0] = version.split('.').map(Number);
      if (major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1])) {
        say('wrong', `version ${version} is too old`, `use Redis ${OLDEST_REDIS.join('.')} or newer`);
      }
      if (evicts) {
        const cure = 'set maxmemory-policy to noeviction (CONFIG SET, and in the configuration)';
        say('wrong', `maxmemory-policy is ${policy}: it may remove queued work when its memory is full`, cure);
      }
      if (role === 'slave')
        say('wrong', 'it is a replica', 'point REDIS_URL to the primary server, or use redis+sentinel://');
      if (maxBytes > 0 && usedBytes > FULL * maxBytes) {
        say('warning', `${Math.round((100 * usedBytes) / maxBytes)} % of its memory are used`, 'raise maxmemory');
      }
      const clock = examineClock(`Redis (${address})`, clockMs, askedAtMs + now() - Date.now());
      if (mistakes.length > 0) return [...mistakes, clock];
      return [{ check: 'redis', status: 'ok' as const, found: `${address}: version ${version}, noeviction` }, clock];
    });
  } finally {
    client.disconnect();
  }
}

function cureOf(message: string): string {
  if (/WRONGPASS|NOAUTH/.test(message)) return 'correct the user and password in REDIS_URL';
  if (/certificate|self.signed|altnames/i.test(message)) {
    return 'set REDIS_CA_FILE to the certificate of its authority; the host in REDIS_URL has to be in the certificate';
  }
  return 'start Redis, and make sure that this host reaches the address in REDIS_URL';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
