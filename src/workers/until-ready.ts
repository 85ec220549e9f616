/** Waits until the database has the schema of this release and the queue answers, before workers are created. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connection.js';
import { pendingMigrations } from '../../db/migrate.js';
import type { Logger } from '../platform/logger.js';
import { logOutage } from '../platform/outage-log.js';
import type { QueueConnection } from '../platform/queue-connection.js';

const PAUSE_MS = 250;
const SCHEMA_PAUSE_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface Needed {
  readonly db: Db;
  /** The schema of the queues in Postgres; null when they are on Redis. */
  readonly queueSchema: string | null;
  readonly connections: readonly QueueConnection[];
  readonly logger: Logger;
  /** Ends the wait. */
  readonly stopping: AbortSignal;
}

/**
 * A worker on an old schema would fail in each step. It waits for the migrations for as long as it takes, because only
 * a person or a deploy can run them. A BullMQ queue that is created while Postgres does not accept connections (it
 * starts, or recovers) never works, and its worker retries endlessly without a pause.
 * @throws the error of the database or the queue after half a minute without an answer: the supervisor of the process
 *   has to restart it; the reason of the abort
 */
export async function untilReady({ db, queueSchema, connections, logger, stopping }: Needed): Promise<void> {
  let said = false;
  for (;;) {
    const pending = await untilAnswered('database', () => pendingMigrations(db, queueSchema), logger, stopping);
    if (pending.length === 0) break;
    if (!said) {
      logger.error(
        { missing: pending.length, next: pending[0] },
        'the schema of the database is older than this release: run npm run release; the worker waits for it',
      );
    }
    said = true;
    await delay(SCHEMA_PAUSE_MS, undefined, { signal: stopping });
  }
  if (said) logger.info('the schema of the database is current');
  // The Redis client waits for Redis by itself.
  if (queueSchema === null) return;
  const ping = () => Promise.all(connections.map((connection) => connection.ping()));
  await untilAnswered('queue', ping, logger, stopping);
}

async function untilAnswered<T>(
  part: string,
  question: () => Promise<T>,
  logger: Logger,
  stopping: AbortSignal,
): Promise<T> {
  for (const end = performance.now() + LONGEST_WAIT_MS; ; await delay(PAUSE_MS, undefined, { signal: stopping })) {
    try {
      return await question();
    } catch (error) {
      if (performance.now() > end) throw error;
      logOutage(logger, part, error, `the ${part} does not answer yet`);
    }
  }
}
