/** Opens the services of an API process from its configuration, and closes them. */

import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Db } from '../../db/connection.js';
import { connectDb, KEEP_ALIVE_MS } from '../../db/connection.js';
import { type ConnectionWatch, watchConnections } from '../../db/connection-watch.js';
import type { Config } from '../config/config.js';
import { AccessRecorder } from '../domain/access/access-recorder.js';
import { JOB_ENDED_CHANNEL } from '../domain/jobs/end-job.js';
import { Targets } from '../domain/webhooks/targets.js';
import { FailureBackoff } from '../platform/concurrency/failure-backoff.js';
import type { FileStore } from '../platform/file-store.js';
import { createLocalFileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { logOutage } from '../platform/outage-log.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { enqueueEntries, type OutboxEntry } from '../queues/outbox.js';
import type { Producer } from '../queues/producer.js';
import { createProducer } from '../queues/producer.js';
import { type AcceptJob, createJobAcceptor } from './accept-in-batches.js';
import { type ClientAddresses, createClientAddresses } from './client-address.js';
import { createReadiness, type Readiness } from './readiness.js';

/** Connections of the queue's producer. Requests enqueue with one statement at a time. */
const QUEUE_POOL_MAX = 3;

const QUEUE_OUTAGE = 'the queue does not work; what could not be enqueued is enqueued later';

/** When the database does not answer for this time, clients get 503. */
const ACQUIRE_MS = 5_000;

interface OwnedServices {
  readonly services: ApiServices;
  close(): Promise<void>;
}

/** @param life what the process knows only later: its address, and when it stops */
export function openServices(
  config: Config,
  logger: Logger,
  life: Pick<ApiServices, 'publicUrl' | 'stopping'>,
): OwnedServices {
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs, impatient: true });
  const db = connectDb({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    name: 'longshore-api',
    acquireMs: ACQUIRE_MS,
    // A request waits only a limited time for locks of a job, because all tenants share these connections.
    lockWaitMs: config.lockWaitMs,
    statementMs: config.statementTimeoutMs,
    preparesStatements: config.preparesStatements,
    watch,
  });
  const queue = openQueueConnection({
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    queuePrefix: config.queuePrefix,
    role: 'producer',
    poolMax: QUEUE_POOL_MAX,
    onConnect: watch.add,
    logger,
  });
  const producer = createProducer(queue, (error) => logOutage(logger, 'queue', error, QUEUE_OUTAGE));
  const jobEnds = createJobEnds(db, config.databaseUrl, watch, logger);
  const { allowedNetworks, timeoutMs } = config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName: createNameResolver(), timeoutMs });
  const fileStore = createLocalFileStore(config.storage.directory, config.storage.timeoutMs);
  const enqueue = (outboxEntries: readonly OutboxEntry[]) => enqueueEntries(producer, outboxEntries, logger);
  const acceptJob = createJobAcceptor({ db, enqueue, logger });
  const recorder = new AccessRecorder(db, logger);
  recorder.start();
  const readiness = createReadiness({ config, db, logger, producer, fileStore });
  return {
    services: {
      config,
      db,
      logger,
      producer,
      fileStore,
      targets,
      acceptJob,
      jobEnds,
      readiness,
      addresses: createClientAddresses(config, logger),
      clientFailures: new FailureBackoff(),
      recorder,
      ...life,
    },
    close: async () => {
      await readiness.close();
      await recorder.close();
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

// The services that every route gets, created once for each process by main.ts or by a test

export interface ApiServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** Checks the addresses of webhooks, and calls targets for tests. */
  readonly targets: Targets;
  /** Accepts a job, together with those of other requests. */
  readonly acceptJob: AcceptJob;
  /** Waits for jobs to end, for `Prefer: wait`. */
  readonly jobEnds: JobEnds;
  /** Says which address a request comes from, for limits by address. */
  readonly addresses: ClientAddresses;
  /** Wrong secrets of OAuth clients, by address and client. */
  readonly clientFailures: FailureBackoff;
  /** Notes which tokens are used and which requests are refused. */
  readonly recorder: AccessRecorder;
  /** What works, as checked in the background. */
  readonly readiness: Readiness;
  /** The address of this API for clients, without a trailing slash. Signed URLs begin with it. */
  readonly publicUrl: () => string;
  /** Aborted when the process begins to stop: requests that wait for a job are then answered. */
  readonly stopping: AbortSignal;
}

// Waiting for the end of jobs, with one LISTEN connection for each process, opened when the first client waits

/**
 * How many clients of one process wait at once. Each costs a query when it begins, so that many more would keep the
 * database from all others; they are answered at once, as if their time were over.
 */
const MAX_WAITING = 500;

/** How often the awaited jobs are polled, because a notification may be lost with its connection. */
const POLL_INTERVAL_MS = 1_000;

interface JobEnds {
  /**
   * Resolves with true when the job has ended, even before the call, and with false when the time is over or `signal`
   * is aborted, or at once when too many clients wait already.
   */
  wait(jobId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Expects the end of a job that is about to be recorded. Call `wait` or `forget` of the result. */
  expect(jobId: string): ExpectedEnd;
  close(): Promise<void>;
}

interface ExpectedEnd {
  /** Resolves with what is known of the end; with null when the time is over or `signal` is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<EndNotice | null>;
  forget(): void;
}

/** What the notification of a job's end says. */
export interface EndNotice {
  /** One letter of OUTCOME for each row, if all rows were applied; null: read the job. */
  readonly outcomes: string | null;
}

const UNKNOWN_END: EndNotice = { outcomes: null };

function createJobEnds(db: Db, databaseUrl: string, watch: ConnectionWatch, logger: Logger): JobEnds {
  const waiting = new Map<string, Set<(notice: EndNotice) => void>>();
  let clients = 0;
  let listener: Promise<pg.Client> | undefined;
  let isListening = false;
  let timer: NodeJS.Timeout | undefined;

  function ended(jobId: string, notice = UNKNOWN_END): void {
    for (const listener of waiting.get(jobId) ?? []) listener(notice);
  }

  async function listen(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'longshore-job-ends',
      connectionTimeoutMillis: ACQUIRE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('notification', ({ payload = '' }) => {
      const [jobId = '', outcomes = null] = payload.split(' ');
      ended(jobId, { outcomes });
    });
    client.on('error', (error) => {
      logOutage(logger, 'database', error, 'lost the connection that is notified of ended jobs; polling them instead');
      listener = undefined;
      isListening = false;
    });
    await client.connect();
    await watch.add(client);
    await client.query(`LISTEN ${JOB_ENDED_CHANNEL}`);
    isListening = true;
    return client;
  }

  async function pollJobs(): Promise<void> {
    const ids = [...waiting.keys()];
    if (ids.length === 0) return;
    const rows = await db('job').whereIn('id', ids).whereNotNull('completed_at').select('id');
    for (const { id } of rows) ended(id);
  }

  function schedulePoll(): void {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      pollJobs()
        .catch((error: unknown) =>
          logOutage(logger, 'database', error, 'could not poll the jobs that clients wait for'),
        )
        .finally(schedulePoll);
    }, POLL_INTERVAL_MS);
  }

  async function ensureListening(): Promise<void> {
    listener ??= listen();
    const attempt = listener;
    await attempt.catch((error: unknown) => {
      if (listener === attempt) listener = undefined;
      logOutage(logger, 'database', error, 'cannot listen for ended jobs; polling them instead');
    });
  }

  /** @param missable whether the job may have ended before the notifications of ends were received */
  function expectEnd(jobId: string, missable: boolean): ExpectedEnd {
    const { promise, resolve } = deferred();
    const others = waiting.get(jobId) ?? new Set();
    waiting.set(jobId, others.add(resolve));
    const listening = ensureListening();
    const forget = () => {
      others.delete(resolve);
      // Called twice, it must not forget those who began to wait in between.
      if (others.size === 0 && waiting.get(jobId) === others) waiting.delete(jobId);
    };
    return {
      forget,
      wait: async (ms, signal) => {
        const stopWaiting = () => resolve(null);
        // Any number of clients may wait on this signal, but Node warns of a leak at more than ten listeners.
        setMaxListeners(0, signal);
        const deadline = setTimeout(stopWaiting, ms);
        signal.addEventListener('abort', stopWaiting, { once: true });
        clients++;
        try {
          if (ms <= 0 || signal.aborted || clients > MAX_WAITING) return null;
          schedulePoll();
          // Listen first and query afterwards: then an end in between is not missed.
          await Promise.race([listening, promise]);
          if (missable && (await hasEnded(jobId))) return UNKNOWN_END;
          return await promise;
        } finally {
          clients--;
          clearTimeout(deadline);
          signal.removeEventListener('abort', stopWaiting);
          forget();
        }
      },
    };
  }

  async function hasEnded(jobId: string): Promise<boolean> {
    return (await db('job').where({ id: jobId }).whereNotNull('completed_at').first('id')) !== undefined;
  }

  return {
    wait: async (jobId, ms, signal) =>
      ms > 0 && !signal.aborted && (await expectEnd(jobId, true).wait(ms, signal)) !== null,
    expect: (jobId) => expectEnd(jobId, !isListening),
    close: async () => {
      clearTimeout(timer);
      for (const listeners of waiting.values()) for (const listener of listeners) listener(UNKNOWN_END);
      await (await listener?.catch(() => undefined))?.end();
    },
  };
}

function deferred(): { promise: Promise<EndNotice | null>; resolve: (value: EndNotice | null) => void } {
  let resolve: (value: EndNotice | null) => void = () => undefined;
  const promise = new Promise<EndNotice | null>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
