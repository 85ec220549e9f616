/**
 * Tries in the background, every two seconds, what requests and jobs need, and keeps the last result: the probe of a
 * load balancer costs nothing, and a part that hangs does not delay it.
 */

import { randomUUID } from 'node:crypto';
import { answersNewConnections, type Db } from '../../db/connection.js';
import { Heartbeat, livingGroups } from '../../db/heartbeats.js';
import { pendingMigrations } from '../../db/migrate.js';
import { Job } from '../../db/models/job.js';
import type { Config } from '../config/config.js';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { within } from '../platform/concurrency/within.js';
import { type FileStore, FileStoreUnavailable } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { VERSION } from '../platform/version.js';
import type { Producer } from '../queues/producer.js';

interface PartReport {
  readonly status: 'ok' | 'degraded' | 'down';
  /** What is wrong. It contains nothing of the error itself, because anyone may read it. */
  readonly message?: string | undefined;
  /** What to do. */
  readonly cure?: string | undefined;
}

interface ReadinessReport {
  /** `degraded`: requests are served, although a part does not work well. `down`: no request could be served. */
  readonly status: PartReport['status'];
  /** The age of the result. */
  readonly ageMs: number;
  readonly parts: Readonly<Record<string, PartReport>>;
}

export interface Readiness {
  /** The id of this process, under which its heartbeat is written. */
  readonly processId: string;
  /** The last findings, without waiting for any. */
  parts(): ReadinessReport['parts'];
  /** Begins to try the parts; a second call does nothing. */
  start(): void;
  /** The last result. Before there is one, it waits for the first. */
  report(): Promise<ReadinessReport>;
  /** Is notified of each error that requests have met: what fails for them is not in order, whatever the checks find. */
  noteFailure(error: unknown): void;
  close(): Promise<void>;
}

const EVERY_MS = 2_000;
/** While the system starts, parts become ready one after the other, and the launcher waits for them. */
const STARTING_EVERY_MS = 250;
const STARTING_MS = 30_000;
/** A part that has not answered in this time does not work. */
const PART_LIMIT_MS = 2_000;
/** Each round takes a few seconds at most, so an older result means that the rounds have stopped. */
const STALE_MS = 15_000;
/** A write of a request that the database refused counts for so long. */
const REFUSED_MS = 10_000;

interface Result {
  readonly at: number;
  readonly parts: ReadonlyMap<string, Finding | null>;
}

/** Tries the parts of the system. @param now for tests, in milliseconds */
export function createReadiness(services: ProbedServices, now: () => number = () => performance.now()): Readiness {
  const { logger } = services;
  const heartbeat = new Heartbeat(services.db, ['web'], VERSION);
  let refused: { readonly at: number; readonly error: unknown } | undefined;
  const lastRefused = () => (refused === undefined || now() - refused.at > REFUSED_MS ? undefined : refused.error);
  const parts = partsOf(services, heartbeat, lastRefused);
  const underway = new Map<string, Promise<Finding | null>>();
  const since = new Map<string, number>();
  const startedAt = now();
  let last: Result | undefined;
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** A probe that hangs (a file system may, for good) is not started a second time. */
  async function tryPart(name: string, part: Part): Promise<Finding | null> {
    const attempt = underway.get(name) ?? part.probe().catch((error: unknown) => part.failed(error));
    underway.set(name, attempt);
    attempt.then(
      () => underway.delete(name),
      () => underway.delete(name),
    );
    return (await within(attempt, PART_LIMIT_MS)) ? attempt : part.failed(undefined);
  }

  async function round(): Promise<void> {
    const found = await Promise.all([...parts].map(async ([name, part]) => [name, await tryPart(name, part)] as const));
    const results = new Map(found);
    for (const [name, finding] of results) logChange(name, finding);
    last = { at: now(), parts: results };
  }

  /** One line when a part begins to fail, and one when it works again. */
  function logChange(part: string, finding: Finding | null): void {
    const begun = since.get(part);
    if (finding?.isUnknown === true) return;
    if (finding !== null && begun === undefined) {
      since.set(part, now());
      const { message, cure, needsPerson = false } = finding;
      const line = { part, status: finding.status, cure };
      if (needsPerson) logger.error(line, message);
      else logger.warn(line, message);
    } else if (finding === null && begun !== undefined) {
      since.delete(part);
      logger.warn({ part, durationMs: Math.round(now() - begun) }, 'the part works again');
    }
  }

  async function run(): Promise<void> {
    await round().catch((error: unknown) => logger.error({ err: error }, 'the checks of readiness failed'));
    if (closed) return;
    const isStarting = since.size > 0 && now() - startedAt < STARTING_MS;
    timer = setTimeout(run, isStarting ? STARTING_EVERY_MS : EVERY_MS).unref();
  }

  function start(): void {
    first ??= run();
  }

  return {
    processId: heartbeat.id,
    parts: () => (last === undefined ? {} : present(last, now()).parts),
    start,
    report: async () => {
      start();
      await first;
      return present(last, now());
    },
    noteFailure: (error) => {
      if (isRefusedWrite(error)) refused = { at: now(), error };
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      if (first !== undefined) await within(heartbeat.stop(), PART_LIMIT_MS);
    },
  };
}

const STALE: Finding = {
  status: 'down',
  message: 'the last result is too old: the checks have stopped',
  cure: 'restart this web process',
};

function present(last: Result | undefined, now: number): ReadinessReport {
  const ageMs = last === undefined ? 0 : Math.round(now - last.at);
  const isStale = last === undefined || ageMs > STALE_MS;
  const found = [...(last?.parts ?? []), ...(isStale ? [['checks', STALE] as const] : [])];
  const all = found.map(([, finding]) => finding?.status);
  return {
    status: all.includes('down') ? 'down' : all.includes('degraded') ? 'degraded' : 'ok',
    ageMs,
    parts: Object.fromEntries(
      found.map(([name, finding]) => [
        name,
        finding === null ? { status: 'ok' } : { status: finding.status, message: finding.message, cure: finding.cure },
      ]),
    ),
  };
}

// The parts that readiness tries, and what it says when one does not work: the reason and the cure.

interface ProbedServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
}

/** What a probe finds wrong. The texts contain nothing of an error itself, because anyone may read them. */
interface Finding {
  /** `down`: no request could be served. */
  readonly status: 'degraded' | 'down';
  readonly message: string;
  /** What to do. */
  readonly cure: string;
  /** It does not pass by itself, so it is logged as an error. */
  readonly needsPerson?: true;
  /** Another part is the cause. */
  readonly isUnknown?: true;
}

interface Part {
  /** Finds what is wrong; null when nothing is. @throws when it does not work at all, for which `failed` has words */
  probe(): Promise<Finding | null>;
  /** @param error undefined: no answer within the limit */
  failed(error: unknown): Finding | null | Promise<Finding | null>;
}

const MEBIBYTE = 1024 * 1024;

/** The groups of work that at least one worker process has to serve. */
const GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;

const UNKNOWN: Finding = {
  status: 'degraded',
  message: 'not known, because the database or the queue does not answer',
  cure: 'see the other parts',
  isUnknown: true,
};

/**
 * The parts, by name. Those that the database answers for are unknown while it does not.
 * @param lastRefused why the database has refused a request to write a short time ago, if it has
 */
function partsOf(
  services: ProbedServices,
  heartbeat: Heartbeat,
  lastRefused: () => unknown,
): ReadonlyMap<string, Part> {
  const { config, db, producer, fileStore } = services;
  const tokens = createAuthenticator(db);
  const queueSchema = config.redisUrl === undefined ? config.queuePrefix : null;
  return new Map<string, Part>([
    [
      'database',
      {
        probe: async () => {
          // As requests do: a connection of the pool, the look-up of a token, and a read.
          await tokens.authenticate(randomUUID());
          await Job.query(db).findById(randomUUID());
          const beat = await heartbeat.beat().then(() => null, refusedWrite);
          const refused = lastRefused();
          // The heartbeat changes a row in its place. That succeeds on a full disk, where no row can be added.
          return beat === null && refused !== undefined ? refusedWrite(refused) : beat;
        },
        failed: (error) => databaseFailed(services, error),
      },
    ],
    [
      'schema',
      {
        probe: async () => {
          const pending = await pendingMigrations(db, queueSchema);
          return pending.length === 0 ? null : schemaIsOld(pending.length);
        },
        failed: () => UNKNOWN,
      },
    ],
    [
      'queue',
      {
        probe: () => producer.ping().then(() => null),
        failed: (error) => queueFailed(error, config.redisUrl !== undefined),
      },
    ],
    [
      'storage',
      {
        probe: async () => {
          const free = await fileStore.freeBytes();
          if (free < config.storageReserveBytes) return storeIsFull(free, config.storageReserveBytes);
          await fileStore.ping();
          return null;
        },
        failed: (error) => storageFailed(error, config.storage.s3?.bucket),
      },
    ],
    [
      'workers',
      {
        probe: async () => {
          const living = await livingGroups(db);
          const missing = GROUPS.filter((group) => !living.has(group));
          return missing.length === 0 ? null : unserved(missing);
        },
        failed: () => UNKNOWN,
      },
    ],
    [
      'steps',
      {
        probe: async () => {
          const [longest] = [...(await producer.waits())].sort(([, a], [, b]) => b - a);
          return longest === undefined || longest[1] < config.stepWaitLimitMs ? null : waitsTooLong(...longest);
        },
        failed: () => UNKNOWN,
      },
    ],
  ]);
}

// What is wrong, and what to do

/** The code of an error that Postgres has sent, unlike those of the system, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** SQLSTATEs of a schema that is older than this build, which is the subject of another part. */
const OLD_SCHEMA = /^(42P01|42703|3F000)$/;
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';

async function databaseFailed(services: ProbedServices, error: unknown): Promise<Finding | null> {
  const code = codeOf(error);
  if (OLD_SCHEMA.test(code)) return null;
  if (poolIsBusy(services)) {
    return {
      status: 'degraded',
      message: 'requests use all connections of this process to the database',
      cure: 'start more web processes or raise DATABASE_POOL_MAX; if it lasts, look for slow statements in pg_stat_activity',
    };
  }
  if (await answersNewConnections(services.config.databaseUrl, 'longshore-readiness')) {
    if (SQL_STATE.test(code)) {
      return { status: 'degraded', message: 'the database answers with errors', cure: 'read the log of Postgres' };
    }
    return {
      status: 'degraded',
      message: 'a connection to the database was lost or has gone silent, and new ones work',
      cure: 'wait: silent connections are replaced within 15 s; if it recurs, look for a firewall or proxy that drops connections',
    };
  }
  return { status: 'down', message: 'the database does not answer', cure: DATABASE_CURES[code] ?? DATABASE_CURE };
}

const DATABASE_CURE = 'start Postgres, and make sure that this host reaches the address in DATABASE_URL';
const DATABASE_CURES: Readonly<Record<string, string>> = {
  [TOO_MANY_CONNECTIONS]: 'Postgres has no connection left: raise max_connections, or run fewer processes',
  '28P01': 'correct the password in DATABASE_URL',
  '28000': 'correct the user in DATABASE_URL, or allow it in pg_hba.conf',
  '3D000': 'create the database that DATABASE_URL names, then run npm run release',
  '57P03': 'wait: Postgres is starting or recovering',
};

function refusedWrite(error: unknown): Finding | null {
  const code = codeOf(error);
  if (OLD_SCHEMA.test(code)) return null;
  const cure =
    code === DISK_FULL
      ? 'free space on the disk of Postgres'
      : code === READ_ONLY
        ? 'point DATABASE_URL to the primary server: this one is read-only'
        : 'read the log of Postgres';
  const needsPerson = code === DISK_FULL || code === READ_ONLY ? { needsPerson: true as const } : {};
  return { status: 'degraded', message: 'the database is readable and refuses to write', cure, ...needsPerson };
}

function isRefusedWrite(error: unknown): boolean {
  return [DISK_FULL, READ_ONLY].includes(codeOf(error));
}

function schemaIsOld(pending: number): Finding {
  return {
    status: 'down',
    message: `the schema of the database is older than this release: ${pending === 1 ? '1 migration is' : `${pending} migrations are`} missing`,
    cure: 'run npm run release',
    needsPerson: true,
  };
}

function queueFailed(error: unknown, onRedis: boolean): Finding {
  const text = error instanceof Error ? error.message : '';
  const cure = !onRedis
    ? 'see the part database; if its queues were never migrated, run npm run release'
    : text.startsWith('OOM')
      ? 'Redis has no memory left: raise maxmemory'
      : text.startsWith('READONLY')
        ? 'point REDIS_URL to the primary server: this one is a replica'
        : 'start Redis, and make sure that this host reaches the address in REDIS_URL';
  const message = 'the queue accepts no jobs; requests are accepted, and their work waits until the queue works';
  return { status: 'degraded', message, cure };
}

function storeIsFull(free: number, reserve: number): Finding {
  const [has, needs] = [free, reserve].map((bytes) => Math.floor(bytes / MEBIBYTE));
  return {
    status: 'degraded',
    message: `the file store has ${has} MiB of free space, less than its reserve of ${needs} MiB; uploads and exports are refused`,
    cure: 'free space on the disk of the file store (STORAGE_URL) or enlarge it; STORAGE_RESERVE_MB sets the reserve',
    needsPerson: true,
  };
}

/** @param bucket undefined: the files are in a folder */
function storageFailed(error: unknown, bucket: string | undefined): Finding {
  const message = 'the file store cannot be written to and read; uploads fail';
  const code = codeOf(error);
  if (bucket !== undefined) {
    const known = error instanceof FileStoreUnavailable ? error.cure : undefined;
    const cure = known ?? `make sure that this host reaches the S3 store with the bucket ${bucket} (STORAGE_URL)`;
    return { status: 'degraded', message, cure };
  }
  const cure =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'free space on the disk of the file store (STORAGE_URL), or raise its quota'
      : code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
        ? 'let the user of this process write to the folder of the file store (STORAGE_URL)'
        : 'make sure that the folder of the file store (STORAGE_URL) is mounted and answers';
  return { status: 'degraded', message, cure };
}

function unserved(groups: readonly string[]): Finding {
  return {
    status: 'degraded',
    message: `no worker process serves ${groups.join(', ')}; this work waits`,
    cure: `start a worker: npm run worker -- ${groups.join(' ')}`,
  };
}

function waitsTooLong(group: string, ms: number): Finding {
  return {
    status: 'degraded',
    message: `the oldest due step of the group ${group} has waited for ${Math.round(ms / 1000)} s`,
    cure: `start more workers of the group (npm run worker -- ${group}), and see what the running ones do at /admin/queues`,
  };
}

/** The code of an error, or of the error of the driver that objection has wrapped. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('nativeError' in error) return codeOf(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether requests use every connection. Then the database works, and only this check had to wait. */
function poolIsBusy({ db, config }: ProbedServices): boolean {
  const pool: unknown = db.client.pool;
  if (typeof pool !== 'object' || pool === null || !('numUsed' in pool)) return false;
  const { numUsed } = pool;
  return typeof numUsed === 'function' && Number(numUsed.call(pool)) >= config.databasePoolMax;
}
