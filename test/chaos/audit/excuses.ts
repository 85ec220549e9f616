/**
 * What a fault excuses: a request that was received twice, and a file that was left unfinished. Only faults that can
 * cause it count, only at the time at which they can, and not more often than they can.
 */
import { type FaultKind, PROCESSES, type ProcessName, type StoreKind } from '../schedule.js';
import { SETTINGS } from '../settings.js';

/** What was broken. Besides the faults of the schedule: a process that ended by itself, and a machine without a free CPU. */
type Cause = FaultKind | { readonly kind: 'ended'; readonly target: ProcessName } | { readonly kind: 'overload' };

/** When something was broken, in milliseconds since 1970. */
export interface FaultWindow {
  readonly cause: Cause;
  readonly beganAt: number;
  readonly endedAt: number;
  /** The unfinished files, by their paths in the store, that the processes had open which the fault killed. */
  readonly openFiles?: readonly string[];
}

/** A request that was received again after it had been accepted: two receipts of one key, one after the other. */
interface Repetition {
  readonly key: string;
  readonly first: number;
  readonly second: number;
}

interface Excuse {
  readonly from: number;
  readonly to: number;
  /** The fault must have begun before the request was received again. */
  readonly beganAt: number;
  left: number;
}

const LOCK_MS = Number(SETTINGS.WORKER_LOCK_MS);
/**
 * An answer is recorded at once. A process may wait so long for a CPU, before or after, without the machine counting as
 * overloaded.
 */
const UNRECORDED_MS = LOCK_MS / 2;
/** A connection that went silent is replaced within twice the limit of silence. */
const SILENT_MS = { postgres: 2 * Number(SETTINGS.DATABASE_SILENCE_MS), redis: 12_000 } as const;
/** First attempts and retries have this limit each. */
const IN_FLIGHT = 2 * Number(SETTINGS.WORKER_DELIVERY_CONCURRENCY);
const WORKERS = 2;
/** When the queue goes on, it looks for jobs whose locks have expired. */
const FOUND_MS = 2 * Number(SETTINGS.WORKER_STALLED_MS);

/** For how long a fault has consequences when it is over, and how many workers it hits; undefined: it causes no repetition. */
function repeatsOf(cause: Cause): { readonly afterMs: number; readonly workers: number } | undefined {
  // Deliveries use no files.
  if (concernsS3(cause)) return undefined;
  switch (cause.kind) {
    case 'overload':
      return { afterMs: LOCK_MS, workers: Number.POSITIVE_INFINITY };
    // Locks expire until the workers have found the server again.
    case 'crash':
    case 'flush':
      return { afterMs: LOCK_MS, workers: WORKERS };
    case 'away':
      return undefined;
    case 'full':
      // What was answered cannot be recorded.
      return cause.target === 'store' ? undefined : { afterMs: FOUND_MS, workers: WORKERS };
    case 'stop':
      if (cause.target === 'postgres' || cause.target === 'redis') return { afterMs: FOUND_MS, workers: WORKERS };
      return isWorker(cause.target) ? { afterMs: 0, workers: 1 } : undefined;
    case 'half-open':
    case 'silent':
      return isWorker(cause.target) && cause.server !== 's3'
        ? { afterMs: SILENT_MS[cause.server], workers: 1 }
        : undefined;
    case 'kill':
      if (cause.target === 'redis') return { afterMs: LOCK_MS, workers: WORKERS };
      return isWorker(cause.target) ? { afterMs: 0, workers: 1 } : undefined;
    default:
      return isWorker(cause.target) ? { afterMs: 0, workers: 1 } : undefined;
  }
}

function isWorker(target: string): boolean {
  return target !== 'web' && PROCESSES.some((name) => name === target);
}

function concernsS3(cause: Cause): boolean {
  return cause.kind !== 'overload' && (cause.target === 's3' || ('server' in cause && cause.server === 's3'));
}

/** @returns which requests were received twice although no fault can have caused it, and how many were with a reason */
export function judgeRepetitions(
  accepted: Iterable<readonly [key: string, receipts: { readonly at: readonly number[] }]>,
  windows: readonly FaultWindow[],
): { readonly unexcused: readonly string[]; readonly excused: number } {
  const repetitions = [...accepted].flatMap(([key, { at }]) =>
    at.slice(1).map((second, index): Repetition => ({ key, first: at[index] ?? 0, second })),
  );
  const excuses = windows.flatMap(({ cause, beganAt, endedAt }): Excuse[] => {
    const repeats = repeatsOf(cause);
    if (repeats === undefined) return [];
    const to = endedAt + repeats.afterMs + UNRECORDED_MS;
    return [{ from: beganAt - UNRECORDED_MS, to, beganAt, left: repeats.workers * IN_FLIGHT }];
  });
  // In the order of time, each takes the fault that is over first: so no other choice would excuse more.
  const inOrder = repetitions.sort((one, other) => one.first - other.first);
  excuses.sort((one, other) => one.to - other.to);
  const unexcused = inOrder.filter(({ first, second }) => {
    const excuse = excuses.find(
      ({ from, to, beganAt, left }) => left > 0 && from <= first && first <= to && beganAt <= second,
    );
    if (excuse === undefined) return true;
    excuse.left--;
    return false;
  });
  return { unexcused: unexcused.map(({ key }) => key), excused: inOrder.length - unexcused.length };
}

/** A file may not have been written to for so long before its process ended: it stood still, or waited for a client. */
const IDLE_MS = 15_000;
/** A request to a store that is silent fails after ten seconds. */
const STORE_SILENT_MS = 12_000;
/** Between the last byte of a file and its rename. */
const MOMENT_MS = 1_000;

/**
 * Whether a fault excuses that a file is unfinished: its process was killed, or could not reach it to remove it. A full
 * disk excuses nothing, and neither does SIGTERM, unless the process had no time left, or was sent it again: the second
 * one means "at once". An S3 server that is away, full or out of reach does not let its uploads be aborted.
 */
export function isExcusedUnfinished(
  path: string,
  writtenAt: number,
  windows: readonly FaultWindow[],
  store: StoreKind = 'folder',
): boolean {
  return windows.some(({ cause, beganAt, endedAt, openFiles = [] }) => {
    const within = (idleMs: number) => beganAt - idleMs <= writtenAt && writtenAt <= endedAt + MOMENT_MS;
    const isSentAgain = (target: string) =>
      windows.some(
        (other) =>
          other.cause.kind === 'restart' &&
          other.cause.target === target &&
          beganAt < other.beganAt &&
          other.beganAt < endedAt,
      );
    if (store === 's3' && (concernsS3(cause) || (cause.kind === 'full' && cause.target === 'store'))) {
      const isSilent = cause.kind === 'silent' || cause.kind === 'half-open';
      return beganAt - IDLE_MS <= writtenAt && writtenAt <= endedAt + (isSilent ? STORE_SILENT_MS : MOMENT_MS);
    }
    switch (cause.kind) {
      case 'kill':
        if (cause.target === 'redis') return false;
        // Nobody sees which uploads to S3 a process had begun.
        return openFiles.includes(path) || within(store === 's3' ? IDLE_MS : MOMENT_MS);
      case 'restart':
        return (
          (endedAt - beganAt >= Number(SETTINGS.SHUTDOWN_GRACE_MS) || isSentAgain(cause.target)) && within(IDLE_MS)
        );
      case 'ended':
      case 'away':
        return within(IDLE_MS);
      default:
        return false;
    }
  });
}
