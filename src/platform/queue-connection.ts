/** Connects to the queue engine: Redis if REDIS_URL is set, else Postgres. Only this file and src/queues know which. */
import {
  type BackendFactory,
  type ConnectionOptions,
  createRedisBackend,
  type IQueueBackend,
  type PgPool,
  PostgresConnection,
  PostgresQueueBackend,
  type QueueBaseOptions,
} from 'bullmq';
import pg from 'pg';
import { ListeningTogether } from './listening-together.js';
import type { Logger } from './logger.js';
import { logOutage } from './outage-log.js';
import { byClockOfDatabase } from './queue-clock.js';
import { openRedis, type RedisTls, redisServers } from './redis.js';
import { tracing } from './tracing.js';

/** What a BullMQ Queue or Worker is created with. */
export interface QueueConnection {
  readonly connection: ConnectionOptions;
  readonly backendFactory: BackendFactory<IQueueBackend, ConnectionOptions>;
  readonly prefix: string;
  /** What BullMQ makes its spans with; absent: tracing is off. */
  readonly telemetry?: NonNullable<QueueBaseOptions['telemetry']>;
  /** False while a lost connection is being restored: calls would only wait. */
  readonly isUp: () => boolean;
  /**
   * Postgres only: counts the jobs of queues that wait, run or are delayed, of each queue and state up to `most`. BullMQ
   * counts all of them, and reads the table for it. Null on Redis, which knows the numbers.
   */
  readonly countJobs: ((queues: readonly string[], most: number) => Promise<readonly JobCounts[]>) | null;
  /** Resolves when the engine answers. @throws when it cannot be reached */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** How many jobs of a queue are in which state. */
export interface JobCounts {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** The members whose BullMQ types differ between the two engines. */
type Backend = Pick<QueueConnection, 'connection' | 'backendFactory'>;

interface QueueConnectionOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  /** How the certificates of Redis are checked. Default: against the public authorities. */
  readonly redisTls?: RedisTls;
  readonly queuePrefix: string;
  /** Producers fail fast, so that a request never hangs; workers wait until the queue is back. */
  readonly role: 'producer' | 'worker';
  /** Postgres only: connections of the shared pool. Workers keep one of them for LISTEN. */
  readonly poolMax: number;
  /** Postgres only: is called with each new connection of the pool, and awaited; to have it watched. */
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
  readonly logger: Logger;
}

/** Before the first probe of an idle TCP connection. */
const KEEP_ALIVE_MS = 10_000;
const EVICTS =
  'Redis may evict keys when its memory is full, and with them queued work, which is then found late: set its maxmemory-policy to noeviction';

/** Opens the connection that all queues or workers of a process share. */
export function openQueueConnection(options: QueueConnectionOptions): QueueConnection {
  const connection = options.redisUrl === undefined ? onPostgres(options) : onRedis(options, options.redisUrl);
  const tracer = tracing();
  return tracer === undefined ? connection : { ...connection, telemetry: tracer.telemetry };
}
type BackendOptions = ConstructorParameters<typeof PostgresQueueBackend>[2];

function onPostgres(options: QueueConnectionOptions): QueueConnection {
  const { databaseUrl, queuePrefix, poolMax, role, onConnect, logger } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    onConnect,
    application_name: `longshore-queue-${role}`,
    connectionTimeoutMillis: 10_000,
    // search_path, because BullMQ's statements use unqualified names. Commits need not wait for the disk, because the
    // reconciler enqueues again what a crash of Postgres loses.
    options: `-c search_path=${queuePrefix} -c synchronous_commit=off`,
  });
  // Every queue and every worker adds a listener to the shared pool.
  pool.setMaxListeners(0);
  // BullMQ's type of a pool has fewer overloads than that of pg.
  const shared = byClockOfDatabase(pool as PgPool);
  const listener = new PostgresConnection(shared);
  listener.on('error', (error) => logOutage(logger, 'queue', error, 'a connection of the queue was lost'));
  // Every worker adds one for the loss of the connection.
  listener.setMaxListeners(0);
  const backendFactory = (name: string, options: BackendOptions) =>
    new PostgresQueueBackend(new ListeningTogether(shared, listener), name, options, true);
  // BullMQ types connections and backends for Redis only; at run time it passes the connection to the backend.
  const backend = { connection: pool, backendFactory } as unknown as Backend;
  return {
    ...backend,
    prefix: queuePrefix,
    // A pool opens connections when they are needed, and fails at once when it cannot.
    isUp: () => true,
    countJobs: async (queues, most) => {
      const count = (state: string) =>
        `(SELECT count(*)::integer FROM (SELECT FROM job WHERE job.queue = asked.queue AND state = '${state}' LIMIT $2) AS found) AS ${state}`;
      const counts = ['waiting', 'active', 'delayed'].map(count).join(', ');
      const statement = `SELECT queue, ${counts} FROM unnest($1::text[]) AS asked (queue)`;
      return (await pool.query<JobCounts>(statement, [queues, most])).rows;
    },
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: async () => {
      await listener.close();
      await pool.end();
    },
  };
}

function onRedis({ queuePrefix, role, redisTls, logger }: QueueConnectionOptions, redisUrl: string): QueueConnection {
  const client = openRedis(redisUrl, { tls: redisTls, failsFast: role === 'producer' });
  let lost = false;
  client.setMaxListeners(0);
  client.on('error', (error) => logOutage(logger, 'queue', error, 'the connection to Redis failed'));
  client.on('close', () => {
    lost = true;
  });
  let warned = false;
  client.on('ready', () => {
    lost = false;
    if (role !== 'producer' || warned) return;
    // After a failover it may be another server.
    redisServers(client).then(
      (servers) => {
        const evicting = servers.find(({ evicts }) => evicts);
        if (evicting === undefined || warned) return;
        warned = true;
        logger.warn({ server: evicting.address, policy: evicting.policy }, EVICTS);
      },
      (error: unknown) => logger.debug({ err: error }, 'Redis was not asked for its policy of eviction'),
    );
  });
  // BullMQ is typed for its own copy of ioredis, whose private members differ from those of ours.
  const backend = { connection: client, backendFactory: createRedisBackend } as unknown as Backend;
  return {
    ...backend,
    prefix: queuePrefix,
    isUp: () => !lost,
    countJobs: null,
    ping: async () => {
      await client.ping();
    },
    close: async () => {
      client.disconnect();
    },
  };
}
