/** The services of a worker process, which every handler gets: created once in main.ts (or by a test). */
import type { Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import type { DeliveryEngine } from '../domain/webhooks/delivery-engine.js';
import type { FileStore } from '../platform/file-store.js';
import type { ResolveName } from '../platform/guard/address-guard.js';
import type { Contention } from '../platform/limits/contention.js';
import type { Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { Progress } from '../platform/watchdog.js';
import type { Producer } from '../queues/producer.js';

export interface WorkerServices {
  readonly config: Config;
  readonly db: Db;
  /** For what runs beside the steps: the watchdog takes each use of `db` for progress of a step. Default: `db`. */
  readonly dbBeside?: Db;
  readonly fileStore: FileStore;
  readonly producer: Producer;
  readonly logger: Logger;
  /** The id of this process in its heartbeat: operators see what it holds. Default: not known. */
  readonly processId?: string;
  /** Counts what is done. Default: nothing is counted. */
  readonly metrics?: Metrics | undefined;
  /** What the steps and the passes of maintenance note of their progress, for the watchdog. Default: nothing. */
  readonly workProgress?: { readonly steps: Progress; readonly maintenance: Progress };
  /** Default: the name servers of this machine. */
  readonly resolveName?: ResolveName;
  /** Which accounts use the process, by their jobs and deliveries. Default: there is one account. */
  readonly contention?: Contention;
  /** The turns of accounts for fan-outs. Default: fan-outs do not wait for each other. */
  readonly fanOuts?: Pick<DeliveryEngine, 'turnToFanOut' | 'untilFewWait'>;
  /** The share of a limit for all processes that serve webhooks. Default: this one is alone. */
  readonly shareOf?: (limit: number, key: string) => number;
}

/** The services including those that startWorkers creates for the handlers. */
export interface HandlerServices extends WorkerServices {
  readonly deliveries: DeliveryEngine;
}
