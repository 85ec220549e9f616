/** The service in one process: the API over HTTP, a database and a queue of its own, and workers where a test asks for them. */

import type { Db } from '../../../db/connection.js';
import { watchConnections } from '../../../db/connection-watch.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { announceFile } from '../../../src/domain/files/announce-file.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import type { ImportOptions, WriteMode } from '../../../src/domain/imports/model/import-options.js';
import { acceptJob, scheduleFileJob } from '../../../src/domain/jobs/accept-job.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { openQueueConnection, type QueueConnection } from '../../../src/platform/queue-connection.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { workerPools } from '../../../src/workers/connections.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { startWorkers, WORKER_GROUPS, type WorkerGroup } from '../../../src/workers/start-workers.js';
import { Shop } from '../http/shop.js';
import { startTestApi, type TestApi, type TestApiOptions } from './test-api.js';
import { testEnvironment } from './test-environment.js';

/** A job that is committed, and what the queue has not been told yet. */
export interface Accepted {
  readonly jobId: string;
  readonly outboxEntries: OutboxEntry[];
}

export interface World {
  readonly api: TestApi;
  readonly db: Db;
  /** What handlers are given. */
  readonly services: WorkerServices;
  newShop(): Promise<Shop>;
  /** Commits a job as a bulk request does, without telling the queue. @param mode `delete`: the rows are `{sku}` */
  acceptRows(
    shop: Shop,
    mode: WriteMode | 'delete',
    rows: readonly unknown[],
    over?: Partial<ImportOptions>,
  ): Promise<Accepted>;
  /** Commits an uploaded file and its job, without telling the queue. */
  acceptFile(
    shop: Shop,
    name: string,
    content: string | Buffer,
    mode?: WriteMode,
    over?: Partial<ImportOptions>,
  ): Promise<Accepted>;
  /**
   * Starts workers in this process; the world's end stops them.
   * @param over services of their own instead of the world's
   */
  startWorkers(over?: Partial<WorkerServices>, groups?: readonly WorkerGroup[]): Promise<Workers>;
  stop(): Promise<void>;
}

export interface Workers {
  stop(): Promise<void>;
}

export interface WorldOptions extends Pick<TestApiOptions, 'redisUrl' | 'files' | 'environment'> {
  /** Rows of a file's chunk. Default 3, so that small files have many. Each costs some 30 ms: a suite with larger files says more. */
  readonly chunkRows?: number;
  /** Whether all workers run from the start. Default: the test starts them, or runs one step of a job after the other. */
  readonly workers?: boolean;
}

const ENVIRONMENT = {
  // The API's connections are the workers' too, and what they wait for is the test's business.
  DATABASE_POOL_MAX: '30',
  LOCK_WAIT_MS: '60000',
} as const;

const WORKERS_RUN = { RECONCILE_MS: '250' } as const;

/** Longer than any test: housekeeping, which may run at any moment, expires what is not uploaded in time. */
const UPLOAD_TIME_MS = 3_600_000;

/** Locks so short that tests do not wait for them; a reconciler that comes only when it is called. */
const WORKERS_BY_HAND = {
  WORKER_LOCK_MS: '2000',
  WORKER_STALLED_MS: '500',
  RECONCILE_MS: '60000',
  RECONCILE_GRACE_MS: '100',
} as const;

const REQUEST_ID = 'test';

/** Everything but the reconciler. */
export const BULK_ONLY: readonly WorkerGroup[] = ['bulk'];

/** To be stopped in `after`. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { redisUrl, files, chunkRows = 3, workers = false } = options;
  const { importReader } = testEnvironment();
  const environment = {
    ...ENVIRONMENT,
    ...(importReader === undefined ? {} : { IMPORT_READER: importReader }),
    ...(workers ? WORKERS_RUN : WORKERS_BY_HAND),
    WORKER_CHUNK_ROWS: String(chunkRows),
    ...options.environment,
  };
  const api = await startTestApi({ redisUrl, files, environment });
  const { services, db } = api;
  const running = new Set<Workers>();
  const world: World = {
    api,
    db,
    services,
    newShop: async () => {
      const { account, token } = await api.newAccount();
      return new Shop(api, account, token, await resolveSite(db, account, 'production'));
    },
    acceptRows: async (shop, mode, rows, over = {}) => {
      const deletes = mode === 'delete';
      const type = { jobType: IMPORT_JOBS.item, type: deletes ? 'ITEM_BULK_DELETE' : 'ITEM_BULK_UPSERT' } as const;
      const { siteId, accountId, channel } = shop.site;
      const job = { id: newId(), siteId, accountId, channel, requestId: REQUEST_ID, ...type };
      const lines = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
      const options = {
        mode: deletes ? 'update' : mode,
        onError: 'skip',
        validateOnly: false,
        ...over,
      } as const;
      const outboxEntries = await db.transaction((trx) =>
        acceptJob(trx, { ...job, options }, { kind: 'rows', lines, rowCount: rows.length }),
      );
      return { jobId: job.id, outboxEntries };
    },
    acceptFile: async (shop, name, content, mode = 'upsert', over = {}) => {
      const options = { mode, onError: 'skip', validateOnly: false, ...over } as const;
      const announcement = {
        name,
        ...(name.endsWith('.zip')
          ? { type: 'SITE_IMPORT', jobType: IMPORT_JOBS.site }
          : { type: 'ITEM_IMPORT', jobType: IMPORT_JOBS.item }),
        locale: null,
        options,
        expiresAt: new Date(Date.now() + UPLOAD_TIME_MS),
        mostOpen: services.config.openUploadsPerAccount,
        requestId: REQUEST_ID,
      } as const;
      const file = await db.transaction((trx) => announceFile(trx, shop.site, announcement));
      const key = `uploads/${file.id}`;
      await store(services, key, content);
      const outboxEntries = await db.transaction(async (trx) => {
        await trx('file').where({ id: file.id }).update({ status: 'UPLOADED', storage_key: key });
        return (await scheduleFileJob(trx, file.job_id)).outboxEntries;
      });
      return { jobId: file.job_id, outboxEntries };
    },
    startWorkers: async (over = {}, groups = WORKER_GROUPS) => {
      const { config, logger } = services;
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const { consuming: poolMax } = workerPools(config);
      const queue = openQueueConnection({ ...config, role: 'worker', poolMax, onConnect, logger });
      const workers = ended(startWorkers({ ...services, ...over }, queue, new Set(groups)), queue, running);
      running.add(workers);
      return workers;
    },
    stop: async () => {
      await Promise.all([...running].map((workers) => workers.stop()));
      await api.stop();
    },
  };
  if (workers) await world.startWorkers();
  return world;
}

async function store({ fileStore }: WorkerServices, key: string, content: string | Buffer): Promise<void> {
  const pending = await fileStore.create(key);
  await new Promise<void>((resolve, reject) => {
    pending.stream.once('error', reject);
    pending.stream.end(content, resolve);
  });
  await pending.commit();
}

function ended(workers: Workers, queue: QueueConnection, running: Set<Workers>): Workers {
  const one: Workers = {
    stop: async () => {
      if (!running.delete(one)) return;
      await workers.stop();
      await queue.close();
    },
  };
  return one;
}
