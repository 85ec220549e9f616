/** Connects to the queue engine: Redis if REDIS_URL is set, else Postgres. Only this file and src/queues know which. */
import {
  type BackendFactory,
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
} from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import pg from 'pg';
import type { Logger } from './logger.js';
import { logOutage } from './outage-log.js';

/** What a BullMQ Queue or Worker is created with. */
export interface QueueConnection {
  readonly connection: ConnectionOptions;
  readonly backendFactory: BackendFactory<IQueueBackend, ConnectionOptions>;
  readonly prefix: string;
  /** False while a lost connection is being restored: calls would only wait. */
  readonly isUp: () => boolean;
  /** Resolves when the engine answers. @throws when it cannot be reached */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The members whose BullMQ types differ between the two engines. */
type Backend = Pick<QueueConnection, 'connection' | 'backendFactory'>;

interface QueueConnectionOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly queuePrefix: string;
  /** Producers fail fast, so that a request never hangs; workers wait until the queue is back. */
  readonly role: 'producer' | 'worker';
  /** Postgres only: connections of the shared pool. Each worker keeps one for LISTEN. */
  readonly poolMax: number;
  /** Postgres only: is called with each new connection of the pool, and awaited; to have it watched. */
  readonly onConnect: (client: pg.ClientBase) => Promise<void>;
  readonly logger: Logger;
}

/** Before the first probe of an idle TCP connection. */
const KEEP_ALIVE_MS = 10_000;
/** A connection to Redis that does not answer for so long is opened anew. */
const REDIS_SILENCE_MS = 5_000;
/** The same for connections on which workers wait for jobs, where Redis answers after up to 10 s. */
const BLOCKING_REDIS_SILENCE_MS = 12_000;

/** Opens the connection that all queues or workers of a process share. */
export function openQueueConnection(options: QueueConnectionOptions): QueueConnection {
  return options.redisUrl === undefined ? onPostgres(options) : onRedis(options, options.redisUrl);
}

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
  pool.on('error', (error) => logOutage(logger, 'queue', error, 'a connection of the queue was lost'));
  // BullMQ types connections and backends for Redis only; at run time it passes the connection to the backend.
  const backend = { connection: pool, backendFactory: createPostgresBackend } as unknown as Backend;
  return {
    ...backend,
    prefix: queuePrefix,
    // A pool opens connections when they are needed, and fails at once when it cannot.
    isUp: () => true,
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: () => pool.end(),
  };
}

/** The connection that all queues or workers share. BullMQ duplicates it for each worker that waits for jobs. */
class SharedRedis extends Redis {
  override duplicate(over?: Partial<RedisOptions>): Redis {
    return super.duplicate({ ...over, socketTimeout: BLOCKING_REDIS_SILENCE_MS });
  }
}

function onRedis({ queuePrefix, role, logger }: QueueConnectionOptions, redisUrl: string): QueueConnection {
  const producer = role === 'producer';
  const client = new SharedRedis(redisUrl, {
    maxRetriesPerRequest: producer ? 1 : null,
    enableOfflineQueue: !producer,
    connectTimeout: 5_000,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: REDIS_SILENCE_MS,
    ...(producer ? { commandTimeout: 5_000 } : {}),
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  });
  let lost = false;
  client.setMaxListeners(0);
  client.on('error', (error) => logOutage(logger, 'queue', error, 'the connection to Redis failed'));
  client.on('close', () => {
    lost = true;
  });
  client.on('ready', () => {
    lost = false;
  });
  // BullMQ is typed for its own copy of ioredis, whose private members differ from those of ours.
  const backend = { connection: client, backendFactory: createRedisBackend } as unknown as Backend;
  return {
    ...backend,
    prefix: queuePrefix,
    isUp: () => !lost,
    ping: async () => {
      await client.ping();
    },
    close: async () => {
      client.disconnect();
    },
  };
}
