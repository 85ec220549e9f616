/** The parts of the system that readiness tries, and how. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { type Heartbeat, livingGroups } from '../../../db/heartbeats.js';
import { pendingMigrations } from '../../../db/migrate.js';
import { Job } from '../../../db/models/job.js';
import { readSystemFacts } from '../../../db/process-snapshots.js';
import type { Config } from '../../config/config.js';
import { createAuthenticator } from '../../domain/access/authenticate.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Logger } from '../../platform/logger.js';
import type { Producer } from '../../queues/producer.js';
import type { AllowedRelease } from '../allowed-release.js';
import { connectionsLeft } from './connections.js';
import { databaseFailed } from './database.js';
import {
  type Finding,
  queueFailed,
  schemaIsOld,
  storageFailed,
  storeIsFull,
  UNKNOWN,
  unserved,
  waitsTooLong,
} from './findings.js';
import { refusedWrite } from './writes.js';

export interface ProbedServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
}

export interface Part {
  /** Finds what is wrong; null when nothing is. @throws when it does not work at all, for which `failed` has words */
  probe(): Promise<Finding | null>;
  /** @param error undefined: no answer within the limit */
  failed(error: unknown): Finding | null | Promise<Finding | null>;
}

/** The groups of work that at least one worker process has to serve. */
const GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;

/**
 * The parts, by name. Those that the database answers for are unknown while it does not.
 * @param release is checked with the schema
 * @param lastRefused why the database has refused a request to write a short time ago, if it has
 */
export function partsOf(
  services: ProbedServices,
  heartbeat: Heartbeat,
  release: AllowedRelease,
  lastRefused: () => unknown,
): ReadonlyMap<string, Part> {
  const { config, db, producer, fileStore } = services;
  const tokens = createAuthenticator(db);
  const queueSchema = config.redisUrl === undefined ? config.queuePrefix : null;
  return new Map<string, Part>([
    [
      'database',
      {
        probe: async () => {
          // As requests do: a connection of the pool, the look-up of a token, and a read.
          await tokens.authenticate(randomUUID());
          await Job.query(db).findById(randomUUID());
          const beat = await heartbeat.beat().then(() => null, refusedWrite);
          const refused = lastRefused();
          // The heartbeat changes a row in its place. That succeeds on a full disk, where no row can be added.
          if (beat !== null) return beat;
          return refused === undefined ? connectionsLeft(db) : refusedWrite(refused);
        },
        failed: (error) => databaseFailed(services, error),
      },
    ],
    [
      'schema',
      {
        probe: async () => {
          const pending = await pendingMigrations(db, queueSchema);
          return pending.length === 0 ? release.check() : schemaIsOld(pending.length);
        },
        failed: () => UNKNOWN,
      },
    ],
    [
      'queue',
      {
        probe: () => producer.ping().then(() => null),
        failed: (error) => queueFailed(error, config.redisUrl !== undefined),
      },
    ],
    [
      'storage',
      {
        probe: async () => {
          const free = await fileStore.freeBytes();
          if (free < config.storageReserveBytes) return storeIsFull(free, config.storageReserveBytes);
          await fileStore.ping();
          return null;
        },
        failed: (error) => storageFailed(error, config.storage.s3?.bucket),
      },
    ],
    [
      'workers',
      {
        probe: async () => {
          const living = await livingGroups(db);
          const missing = GROUPS.filter((group) => !living.has(group));
          return missing.length === 0 ? null : unserved(missing);
        },
        failed: () => UNKNOWN,
      },
    ],
    [
      'steps',
      {
        probe: async () => {
          const [longest] = [...(await producer.waits())].sort(([, a], [, b]) => b - a);
          return longest === undefined || longest[1] < config.stepWaitLimitMs ? null : waitsTooLong(...longest);
        },
        failed: () => UNKNOWN,
      },
    ],
    ['jobs', { probe: () => unreferredJobs(db), failed: () => UNKNOWN }],
  ]);
}

/** Findings of maintenance that are older do not count: the part `workers` says that it does not run. */
const FRESH_SECONDS = 60;

/** Jobs that have not ended, that nothing refers to, and that maintenance could not repair. */
async function unreferredJobs(db: Db): Promise<Finding | null> {
  const { unreferredJobs: ids } = Object((await readSystemFacts(db, FRESH_SECONDS)) ?? {});
  if (!Array.isArray(ids) || ids.length === 0) return null;
  return {
    status: 'degraded',
    message: `${ids.length === 1 ? '1 job has' : `${ids.length} jobs have`} not ended, and nothing refers to ${ids.length === 1 ? 'it' : 'them'}: nobody will execute ${ids.length === 1 ? 'it' : 'them'}`,
    cure: 'npm run admin -- doctor names them: cancel them, and send them again; look for processes of an older release',
    needsPerson: true,
  };
}
