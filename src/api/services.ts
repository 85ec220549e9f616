/** Makes the services of an API process out of its configuration, and closes them again. */
import { connectDb } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import { Targets } from '../domain/webhooks/targets.js';
import { createLocalFileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { createProducer } from '../queues/producer.js';
import type { ApiServices } from './context.js';
import { createJobEnds } from './job-ends.js';

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
