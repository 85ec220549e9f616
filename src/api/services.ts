/** Makes the services of an API process out of its configuration, and closes them again. */

import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Db } from '../../db/connection.js';
import { connectDb } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import { JOB_ENDED_CHANNEL } from '../domain/jobs/end-job.js';
import { Targets } from '../domain/webhooks/targets.js';
import type { FileStore } from '../platform/file-store.js';
import { createLocalFileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import type { Producer } from '../queues/producer.js';
import { createProducer } from '../queues/producer.js';

/** The queue's share of connections; requests enqueue one statement at a time. */
const QUEUE_POOL_MAX = 3;

/** Clients are told 503 rather than kept waiting for a database that does not answer. */
const ACQUIRE_MS = 5_000;

interface OwnedServices {
  readonly services: ApiServices;
  close(): Promise<void>;
}

/** @param life what the process knows only later: its address, and that it is to stop */
export function openServices(
  config: Config,
  logger: Logger,
  life: Pick<ApiServices, 'publicUrl' | 'stopping'>,
): OwnedServices {
  const db = connectDb({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    name: 'longshore-api',
    acquireMs: ACQUIRE_MS,
    // A request does not wait for long for what a job of its site has locked: the connection is every tenant's.
    lockWaitMs: config.lockWaitMs,
  });
  const queue = openQueueConnection({
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    queuePrefix: config.queuePrefix,
    role: 'producer',
    poolMax: QUEUE_POOL_MAX,
    logger,
  });
  const producer = createProducer(queue, (error) => logger.warn({ err: error }, 'the queue reports an error'));
  const jobEnds = createJobEnds(db, config.databaseUrl, logger);
  const { allowedNetworks, timeoutMs } = config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName: createNameResolver(), timeoutMs });
  const fileStore = createLocalFileStore(config.storage.directory);
  return {
    services: { config, db, logger, producer, fileStore, targets, jobEnds, ...life },
    close: async () => {
      await jobEnds.close();
      await targets.close();
      await producer
        .close()
        .catch((error: unknown) => logger.warn({ err: error }, 'the producer did not close cleanly'));
      await queue.close();
      await db.destroy();
    },
  };
}

// What every route is given: the services of its process, made once in main.ts (or by a test).

export interface ApiServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** Keeps webhooks out of our own network, and calls targets that are to be tested. */
  readonly targets: Targets;
  /** Waits for jobs to end, for `Prefer: wait`. */
  readonly jobEnds: JobEnds;
  /** The address that clients reach this API at, without a trailing slash: what signed URLs are made of. */
  readonly publicUrl: () => string;
  /** Aborted when the process begins to stop: whoever waits on behalf of a client answers what it has. */
  readonly stopping: AbortSignal;
}

// Waits for the ends of jobs on behalf of clients: one LISTEN connection a process, made when the first client waits.

/** A notice may be lost with its connection: those who wait are looked up this often all the same. */
const POLL_INTERVAL_MS = 1_000;

interface JobEnds {
  /**
   * Resolves with true when the job has ended, false when the time is over or `signal` fires.
   * A job that ended before is noticed too.
   */
  wait(jobId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

function createJobEnds(db: Db, databaseUrl: string, logger: Logger): JobEnds {
  const waiting = new Map<string, Set<() => void>>();
  let listener: Promise<pg.Client> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function ended(jobId: string): void {
    for (const listener of waiting.get(jobId) ?? []) listener();
  }

  async function listen(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'longshore-job-ends',
      keepAlive: true,
    });
    client.on('notification', ({ payload }) => ended(payload ?? ''));
    client.on('error', (error) => {
      logger.warn({ err: error }, 'lost the connection that hears of ended jobs; looking them up instead');
      listener = undefined;
    });
    await client.connect();
    await client.query(`LISTEN ${JOB_ENDED_CHANNEL}`);
    return client;
  }

  async function lookUp(): Promise<void> {
    const ids = [...waiting.keys()];
    if (ids.length === 0) return;
    const rows = await db('job').whereIn('id', ids).whereNotNull('completed_at').select('id');
    for (const { id } of rows) ended(id);
  }

  function schedulePoll(): void {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      lookUp()
        .catch((error: unknown) => logger.warn({ err: error }, 'could not look up the jobs that clients wait for'))
        .finally(schedulePoll);
    }, POLL_INTERVAL_MS);
  }

  async function poll(): Promise<void> {
    listener ??= listen();
    const attempt = listener;
    await attempt.catch((error: unknown) => {
      if (listener === attempt) listener = undefined;
      logger.warn({ err: error }, 'cannot hear of ended jobs; looking them up instead');
    });
  }

  return {
    wait: async (jobId, ms, signal) => {
      if (ms <= 0 || signal.aborted) return false;
      // Any number of clients may wait until the process stops: Node takes more than ten for a leak.
      setMaxListeners(0, signal);
      const { promise, settle } = deferred();
      const listener = () => settle(true);
      const giveUp = () => settle(false);
      const others = waiting.get(jobId) ?? new Set();
      waiting.set(jobId, others.add(listener));
      const deadline = setTimeout(giveUp, ms);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        schedulePoll();
        // First listening, then looking: an end in between is heard or seen, never missed.
        await poll();
        if ((await db('job').where({ id: jobId }).whereNotNull('completed_at').first('id')) !== undefined) return true;
        return await promise;
      } finally {
        clearTimeout(deadline);
        signal.removeEventListener('abort', giveUp);
        others.delete(listener);
        if (others.size === 0) waiting.delete(jobId);
      }
    },
    close: async () => {
      clearTimeout(timer);
      for (const listeners of waiting.values()) for (const listener of listeners) listener();
      await (await listener?.catch(() => undefined))?.end();
    },
  };
}

function deferred(): { promise: Promise<boolean>; settle: (value: boolean) => void } {
  let settle: (value: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
