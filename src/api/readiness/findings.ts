/** What readiness says of a part that does not work: what is wrong, and what to do. */
import { FileStoreUnavailable } from '../../platform/file-store.js';

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

const MEBIBYTE = 1024 * 1024;

export const UNKNOWN: Finding = {
  status: 'degraded',
  message: 'not known, because the database or the queue does not answer',
  cure: 'see the other parts',
  isUnknown: true,
};

export function schemaIsOld(pending: number): Finding {
  return {
    status: 'down',
    message: `the schema of the database is older than this release: ${pending === 1 ? '1 migration is' : `${pending} migrations are`} missing`,
    cure: 'run npm run release',
    needsPerson: true,
  };
}

/** @param found why this process may not use the database any more */
export function releaseIsOld(found: { readonly message: string; readonly cure: string }): Finding {
  return { status: 'down', ...found, needsPerson: true };
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
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('nativeError' in error) return codeOf(error.nativeError);
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
