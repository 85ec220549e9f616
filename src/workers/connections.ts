/** How many connections to Postgres a worker process opens at most, as docs/run/install.md counts them. */
import type { Config } from '../config/config.js';

/**
 * Atomic jobs that a process applies at the same time. Each keeps a transaction open, with a connection and the memory
 * of two chunks, and none should wait until that of another tenant ends. Files of one chunk are not counted: their plan
 * step executes them.
 */
export const ATOMIC_JOBS = 4;

/** An atomic job has one for its rows, and one for reading ahead and for recording progress. */
const OF_ATOMIC_JOB = 2;
/** One for its snapshot, and one to record its progress. */
const OF_EXPORT = 2;
/** Beside those of the steps: maintenance uses six at once, the heartbeat and the metrics one each. */
const BESIDE = 8;
/** For enqueueing, on Postgres. */
const PRODUCING = 4;
/** For the work on queues in Postgres: one for LISTEN, and a few shared. With too few, no job can start. */
const CONSUMING = 1 + 8;

/** The sizes of the pools of a worker process. */
interface WorkerPools {
  readonly steps: number;
  readonly beside: number;
  /** Those of the queues are used only where these are in Postgres. */
  readonly producing: number;
  readonly consuming: number;
}

type Sizes = Pick<
  Config,
  'databasePoolMax' | 'planConcurrency' | 'chunkConcurrency' | 'exportConcurrency' | 'redisUrl'
>;

export function workerPools(config: Sizes): WorkerPools {
  const { planConcurrency, chunkConcurrency, exportConcurrency } = config;
  const steps = planConcurrency + chunkConcurrency + OF_ATOMIC_JOB * ATOMIC_JOBS + OF_EXPORT * exportConcurrency;
  return {
    ...{ steps: Math.max(config.databasePoolMax - BESIDE, steps), beside: BESIDE },
    ...{ producing: PRODUCING, consuming: CONSUMING },
  };
}

/** The connections of a worker process that are not for its steps. */
export function connectionsBeside({ redisUrl }: Pick<Sizes, 'redisUrl'>): number {
  return BESIDE + (redisUrl === undefined ? PRODUCING + CONSUMING : 0);
}

/** All connections of a worker process. */
export function workerConnections(config: Sizes): number {
  return workerPools(config).steps + connectionsBeside(config);
}
