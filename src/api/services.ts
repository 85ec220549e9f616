/** Opens the services of an API process from its configuration, and closes them. */
import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Db } from '../../db/connection.js';
import { connectDb, KEEP_ALIVE_MS } from '../../db/connection.js';
import { type ConnectionWatch, watchConnections } from '../../db/connection-watch.js';
import { publishSnapshots } from '../../db/process-snapshots.js';
import type { Config } from '../config/config.js';
import { AccessRecorder } from '../domain/access/access-recorder.js';
import { createQuotaKeeper, type QuotaKeeper } from '../domain/access/quota-keeper.js';
import { JOB_ENDED_CHANNEL } from '../domain/jobs/end-job.js';
import { Targets } from '../domain/webhooks/targets.js';
import { createBatcher } from '../platform/concurrency/batcher.js';
import { FailureBackoff } from '../platform/concurrency/failure-backoff.js';
import { within } from '../platform/concurrency/within.js';
import type { FileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { measuredStore } from '../platform/metrics/measured-store.js';
import { Metrics } from '../platform/metrics.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { openFileStore } from '../platform/open-file-store.js';
import { logOutage } from '../platform/outage-log.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { VERSION } from '../platform/version.js';
import { Progress } from '../platform/watchdog.js';
import { enqueueEntries, type OutboxEntry } from '../queues/outbox.js';
import type { Producer } from '../queues/producer.js';
import { createProducer } from '../queues/producer.js';
import { type AcceptJob, createJobAcceptor } from './accept-in-batches.js';
import { type ClientAddresses, createClientAddresses } from './client-address.js';
import { createGrantTurns, type GrantInTurn } from './grant-turns.js';
import { createReadiness, type Readiness } from './readiness.js';

/** Connections of the queue's producer. Requests enqueue with one statement at a time. */
const QUEUE_POOL_MAX = 3;

/** How long the end of the process waits for the metrics that are being written. */
const PUBLISHED_WITHIN_MS = 1_000;

/** Tries with wrong secrets that are answered at once, and how long the pair of client and address waits after them. */
const WRONG_SECRETS = { free: 4, firstMs: 1_000, longestMs: 300_000 };

const QUEUE_OUTAGE = 'the queue does not work; what could not be enqueued is enqueued later';

/** When the database does not answer for this time, clients get 503. */
const ACQUIRE_MS = 5_000;

interface OwnedServices {
  readonly services: ApiServices;
  /** Advances when a connection of requests to the database is used. */
  readonly progress: Progress;
  close(): Promise<void>;
}

/** @param life what the process knows only later: its address, and when it stops */
export function openServices(
  config: Config,
  logger: Logger,
  life: Pick<ApiServices, 'publicUrl' | 'stopping'>,
): OwnedServices {
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs, impatient: true });
  const progress = new Progress();
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
    onActivity: progress.advance,
  });
  const queue = openQueueConnection({
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    redisTls: config.redisTls,
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
  const metrics = new Metrics();
  metrics.describe(['web'], VERSION);
  metrics.watchPool(db.client.pool, config.databasePoolMax);
  const fileStore = measuredStore(openFileStore(config.storage), metrics);
  const enqueue = (outboxEntries: readonly OutboxEntry[]) => enqueueEntries(producer, outboxEntries, logger);
  const acceptJob = createJobAcceptor({ db, enqueue, logger });
  const recorder = new AccessRecorder(db, logger);
  recorder.start();
  const readiness = createReadiness({ config, db, logger, producer, fileStore });
  metrics.watchParts(readiness.parts);
  const stopPublishing = publishSnapshots(
    db,
    readiness.processId,
    () => metrics.publish(),
    (error) => logger.debug({ err: error }, 'the metrics of this process could not be published'),
  );
  return {
    progress,
    services: {
      config,
      db,
      logger,
      metrics,
      producer,
      fileStore,
      targets,
      acceptJob,
      quotas: createQuotaKeeper(db),
      jobEnds,
      readiness,
      addresses: createClientAddresses(config, logger),
      clientFailures: new FailureBackoff(WRONG_SECRETS),
      grantInTurn: createGrantTurns(),
      recorder,
      ...life,
    },
    close: async () => {
      await within(stopPublishing(), PUBLISHED_WITHIN_MS);
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
  readonly metrics: Metrics;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** Checks the addresses of webhooks, and calls targets for tests. */
  readonly targets: Targets;
  /** Accepts a job, together with those of other requests. */
  readonly acceptJob: AcceptJob;
  /** What the accounts with quotas use. */
  readonly quotas: QuotaKeeper;
  /** Waits for jobs to end, for `Prefer: wait`. */
  readonly jobEnds: JobEnds;
  /** Says which address a request comes from, for limits by address. */
  readonly addresses: ClientAddresses;
  /** Wrong secrets of OAuth clients, by address and client. */
  readonly clientFailures: FailureBackoff;
  /** Limits the connections to the database that requests for tokens use: anybody may send them. */
  readonly grantInTurn: GrantInTurn;
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
 * database from all others. When so many wait, the account with the most of them makes room for the others: its client
 * that has waited longest is answered, as if its time were over.
 */
const MAX_WAITING = 500;

/** How often the awaited jobs are polled, because a notification may be lost with its connection. */
const POLL_INTERVAL_MS = 1_000;

interface JobEnds {
  /**
   * Resolves with true when the job has ended, even before the call, and with false when the client waits no longer, or
   * at once when too many clients of its account wait already.
   */
  wait(jobId: string, client: WaitingClient): Promise<boolean>;
  /** Expects the end of a job that is about to be recorded. Call `wait` or `forget` of the result. */
  expect(jobId: string): ExpectedEnd;
  close(): Promise<void>;
}

/** Who waits for the end of a job, and for how long. */
export interface WaitingClient {
  readonly accountId: string;
  readonly ms: number;
  /** Aborted when the answer must not, or need not, wait any longer. */
  readonly signal: AbortSignal;
}

interface ExpectedEnd {
  /** Resolves with what is known of the end; with null when the client waits no longer. */
  wait(client: WaitingClient): Promise<EndNotice | null>;
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
  const clients = new WaitingClients(MAX_WAITING);
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

  async function endedOf(ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await db('job')
      .whereIn('id', [...new Set(ids)])
      .whereNotNull('completed_at')
      .select('id');
    return new Set(rows.map(({ id }) => id));
  }

  async function pollJobs(): Promise<void> {
    if (waiting.size === 0) return;
    for (const id of await endedOf([...waiting.keys()])) ended(id);
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
      wait: async ({ accountId, ms, signal }) => {
        const stopWaiting = () => resolve(null);
        if (ms <= 0 || signal.aborted || !clients.add(accountId, stopWaiting)) {
          forget();
          return null;
        }
        // Any number of clients may wait on this signal, but Node warns of a leak at more than ten listeners.
        setMaxListeners(0, signal);
        const deadline = setTimeout(stopWaiting, ms);
        signal.addEventListener('abort', stopWaiting, { once: true });
        try {
          schedulePoll();
          // Listen first and query afterwards: then an end in between is not missed.
          await Promise.race([listening, promise]);
          if (missable && (await hasEnded(jobId))) return UNKNOWN_END;
          return await promise;
        } finally {
          clients.delete(accountId, stopWaiting);
          clearTimeout(deadline);
          signal.removeEventListener('abort', stopWaiting);
          forget();
        }
      },
    };
  }

  /** One statement for all clients that begin to wait while it runs. */
  const hasEnded = createBatcher<string, boolean>({
    lingerMs: 0,
    maxItems: MAX_WAITING,
    run: async (ids) => {
      const ended = await endedOf(ids);
      return ids.map((id) => ended.has(id));
    },
  });

  return {
    wait: async (jobId, client) =>
      client.ms > 0 && !client.signal.aborted && (await expectEnd(jobId, true).wait(client)) !== null,
    expect: (jobId) => expectEnd(jobId, !isListening),
    close: async () => {
      clearTimeout(timer);
      for (const listeners of waiting.values()) for (const listener of listeners) listener(UNKNOWN_END);
      await (await listener?.catch(() => undefined))?.end();
    },
  };
}

/** Counts the clients that wait, by account. */
class WaitingClients {
  readonly #max: number;
  /** How each of an account's clients is answered; the one that has waited longest is first. */
  readonly #accounts = new Map<string, Set<() => void>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false when there is no room: no other account has more clients than this one would have */
  add(accountId: string, answer: () => void): boolean {
    if (this.#count >= this.#max && !this.#makeRoom(accountId)) return false;
    const clients = this.#accounts.get(accountId) ?? new Set();
    this.#accounts.set(accountId, clients.add(answer));
    this.#count++;
    return true;
  }

  delete(accountId: string, answer: () => void): void {
    const clients = this.#accounts.get(accountId);
    if (clients?.delete(answer) !== true) return;
    this.#count--;
    if (clients.size === 0) this.#accounts.delete(accountId);
  }

  #makeRoom(accountId: string): boolean {
    const own = (this.#accounts.get(accountId)?.size ?? 0) + 1;
    const [most, clients] = [...this.#accounts].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    const [answer] = clients;
    if (clients.size <= own || answer === undefined) return false;
    this.delete(most, answer);
    answer();
    return true;
  }
}

function deferred(): { promise: Promise<EndNotice | null>; resolve: (value: EndNotice | null) => void } {
  let resolve: (value: EndNotice | null) => void = () => undefined;
  const promise = new Promise<EndNotice | null>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
