/** What every route is given: the services of its process, made once in main.ts (or by a test). */
import type { Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../platform/logger.js';
import type { Producer } from '../queues/producer.js';

/** The part of the file store that readiness asks. */
export interface StorageProbe {
  /** @throws when nothing could be stored now */
  ping(): Promise<void>;
}

export interface ApiServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: StorageProbe;
}
