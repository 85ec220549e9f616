/** What every route is given: the services of its process, made once in main.ts (or by a test). */
import type { Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import type { Targets } from '../domain/webhooks/targets.js';
import type { FileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import type { Producer } from '../queues/producer.js';
import type { JobEnds } from './job-ends.js';

export interface ApiServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** Keeps webhooks out of our own network, and calls targets that are to be tested. */
  readonly targets: Targets;
  /** Waits for jobs to end, for `Prefer: wait`. */
  readonly jobEnds: JobEnds;
  /** The address that clients reach this API at, without a trailing slash: what signed URLs are made of. */
  readonly publicUrl: () => string;
  /** Aborted when the process begins to stop: whoever waits on behalf of a client answers what it has. */
  readonly stopping: AbortSignal;
}
