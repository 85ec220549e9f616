/** The whole service in one process: the API over HTTP, its workers, a database of their own. */
import type { Db } from '../../../db/connection.js';
import { resolveSite } from '../../../src/domain/access/sites.js';
import { openQueueConnection } from '../../../src/platform/queue-connection.js';
import { CONSUMING_CONNECTIONS, startWorkers, WORKER_GROUPS } from '../../../src/workers/start-workers.js';
import { Shop } from '../http/shop.js';
import { startTestApi, type TestApi } from './test-api.js';

export interface IngestWorld {
  readonly api: TestApi;
  readonly db: Db;
  /** Another account, with nothing in it. */
  newShop(): Promise<Shop>;
  stop(): Promise<void>;
}

export interface IngestWorldOptions {
  readonly redisUrl?: string | undefined;
  /** Rows of a file's chunk. Default 3, so that small files have many. */
  readonly chunkRows?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** To be stopped in `after`. */
export async function startIngestWorld(options: IngestWorldOptions = {}): Promise<IngestWorld> {
  const environment = {
    WORKER_CHUNK_ROWS: String(options.chunkRows ?? 3),
    RECONCILE_MS: '250',
    // The API's connections are the workers' too.
    DATABASE_POOL_MAX: '30',
    LOCK_WAIT_MS: '60000',
    ...options.environment,
  };
  const api = await startTestApi({ redisUrl: options.redisUrl, environment });
  const { config, logger } = api.services;
  const queue = openQueueConnection({ ...config, role: 'worker', poolMax: CONSUMING_CONNECTIONS, logger });
  const workers = startWorkers(api.services, queue, new Set(WORKER_GROUPS));
  return {
    api,
    db: api.db,
    newShop: async () => {
      const { account, token } = await api.newAccount();
      return new Shop(api, account, token, await resolveSite(api.db, account, 'production'));
    },
    stop: async () => {
      await workers.stop();
      await queue.close();
      await api.stop();
    },
  };
}
