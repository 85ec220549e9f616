/** The queue's engine: Redis when REDIS_URL is set, else the same Postgres. Only here and in src/queues is it known which. */
import {
  type BackendFactory,
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Logger } from './logger.js';

/** What a BullMQ Queue or Worker is made with. */
export interface QueueConnection {
  readonly connection: ConnectionOptions;
  readonly backendFactory: BackendFactory<IQueueBackend, ConnectionOptions>;
  readonly prefix: string;
  /** False: the connection is lost and being made again, so that asking would only mean waiting. */
  readonly isUp: () => boolean;
  /** Answers when the engine does. @throws when it cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Which engine it is: what differs between the two in BullMQ's types. */
type Backend = Pick<QueueConnection, 'connection' | 'backendFactory'>;

interface QueueConnectionOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly queuePrefix: string;
  /** Producers fail fast, so that a request never hangs on the queue; workers wait for it to come back. */
  readonly role: 'producer' | 'worker';
  /** Postgres only: connections of the shared pool. Each worker keeps one for LISTEN. */
  readonly poolMax: number;
  readonly logger: Logger;
}

/** Opens the connection that all queues or workers of a process share. */
export function openQueueConnection(options: QueueConnectionOptions): QueueConnection {
  return options.redisUrl === undefined ? onPostgres(options) : onRedis(options, options.redisUrl);
}

function onPostgres({ databaseUrl, queuePrefix, poolMax, role, logger }: QueueConnectionOptions): QueueConnection {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolMax,
    keepAlive: true,
    application_name: `longshore-queue-${role}`,
    connectionTimeoutMillis: 10_000,
    // BullMQ's statements use unqualified names.
    // What a crash of Postgres takes from the queue, the reconciler gives back: no commit of it need wait for the disk.
    options: `-c search_path=${queuePrefix} -c synchronous_commit=off`,
  });
  // Every queue and every worker listens for errors of the pool that they share.
  pool.setMaxListeners(0);
  pool.on('error', (error) => logger.warn({ err: error }, 'a connection of the queue was lost'));
  // BullMQ's types of connections and backends know Redis alone; at run time it hands the one to the other.
  const backend = { connection: pool, backendFactory: createPostgresBackend } as unknown as Backend;
  return {
    ...backend,
    prefix: queuePrefix,
    // A pool makes connections as they are needed, and fails at once when it cannot.
    isUp: () => true,
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: () => pool.end(),
  };
}

function onRedis({ queuePrefix, role, logger }: QueueConnectionOptions, redisUrl: string): QueueConnection {
  const producer = role === 'producer';
  const client = new Redis(redisUrl, {
    maxRetriesPerRequest: producer ? 1 : null,
    enableOfflineQueue: !producer,
    connectTimeout: 5_000,
    ...(producer ? { commandTimeout: 5_000 } : {}),
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  });
  let lost = false;
  client.setMaxListeners(0);
  client.on('error', (error) => logger.warn({ err: error }, 'the connection to Redis failed'));
  client.on('close', () => {
    lost = true;
  });
  client.on('ready', () => {
    lost = false;
  });
  // BullMQ declares the client of the ioredis that it brings, whose private members differ from ours.
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
