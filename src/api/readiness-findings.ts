/** What readiness says of a part that does not work: what is wrong, and what to do. */
import { answersNewConnections, type Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import { FileStoreUnavailable } from '../platform/file-store.js';

/** What a probe finds wrong. The texts contain nothing of an error itself, because anyone may read them. */
export interface Finding {
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

interface AskedDatabase {
  readonly db: Db;
  readonly config: Config;
}

const MEBIBYTE = 1024 * 1024;

export const UNKNOWN: Finding = {
  status: 'degraded',
  message: 'not known, because the database or the queue does not answer',
  cure: 'see the other parts',
  isUnknown: true,
};

/** The code of an error that Postgres has sent, unlike those of the system, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** SQLSTATEs of a schema that is older than this build, which is the subject of another part. */
const OLD_SCHEMA = /^(42P01|42703|3F000)$/;
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';

export async function databaseFailed(services: AskedDatabase, error: unknown): Promise<Finding | null> {
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

export function refusedWrite(error: unknown): Finding | null {
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

export function isRefusedWrite(error: unknown): boolean {
  return [DISK_FULL, READ_ONLY].includes(codeOf(error));
}

export function schemaIsOld(pending: number): Finding {
  return {
    status: 'down',
    message: `the schema of the database is older than this release: ${pending === 1 ? '1 migration is' : `${pending} migrations are`} missing`,
    cure: 'run npm run release',
    needsPerson: true,
  };
}

export function queueFailed(error: unknown, onRedis: boolean): Finding {
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

export function storeIsFull(free: number, reserve: number): Finding {
  const [has, needs] = [free, reserve].map((bytes) => Math.floor(bytes / MEBIBYTE));
  return {
    status: 'degraded',
    message: `the file store has ${has} MiB of free space, less than its reserve of ${needs} MiB; uploads and exports are refused`,
    cure: 'free space on the disk of the file store (STORAGE_URL) or enlarge it; STORAGE_RESERVE_MB sets the reserve',
    needsPerson: true,
  };
}

/** @param bucket undefined: the files are in a folder */
export function storageFailed(error: unknown, bucket: string | undefined): Finding {
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

export function unserved(groups: readonly string[]): Finding {
  return {
    status: 'degraded',
    message: `no worker process serves ${groups.join(', ')}; this work waits`,
    cure: `start a worker: npm run worker -- ${groups.join(' ')}`,
  };
}

export function waitsTooLong(group: string, ms: number): Finding {
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
function poolIsBusy({ db, config }: AskedDatabase): boolean {
  const pool: unknown = db.client.pool;
  if (typeof pool !== 'object' || pool === null || !('numUsed' in pool)) return false;
  const { numUsed } = pool;
  return typeof numUsed === 'function' && Number(numUsed.call(pool)) >= config.databasePoolMax;
}
