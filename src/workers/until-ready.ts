/** Waits until the database has the schema of this release and the queue answers, before workers are created. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connection.js';
import { pendingMigrations } from '../../db/migrate.js';
import { findTooOld } from '../../db/oldest-release.js';
import type { Logger } from '../platform/logger.js';
import { logOutage } from '../platform/outage-log.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import { VERSION } from '../platform/version.js';

const PAUSE_MS = 250;
const SCHEMA_PAUSE_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const ANSWER_WITHIN_MS = 3_000;

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
 * a person or a deploy can run them. With the queue on Redis the worker starts even if the database does not answer: its
 * jobs fail then, and are enqueued again.
 * @throws the error of the database or the queue after half a minute without an answer: the supervisor of the process
 *   has to restart it; an error that says that this release is older than the database allows; the reason of the abort
 */
export async function untilReady({ db, queueSchema, connections, logger, stopping }: Needed): Promise<void> {
  let said = false;
  const schema = () => pendingMigrations(db, queueSchema);
  for (;;) {
    const pending =
      queueSchema === null
        ? await inTime(schema(), stopping).catch(() => [])
        : await untilAnswered('database', schema, logger, stopping);
    stopping.throwIfAborted();
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
  const release = findTooOld(db, VERSION);
  const tooOld = await inTime(release, stopping).catch((error: unknown) => {
    if (queueSchema === null && !stopping.aborted) return null;
    throw error;
  });
  if (tooOld !== null) throw new Error(`${tooOld.message}: ${tooOld.cure}`);
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
      return await inTime(question(), stopping);
    } catch (error) {
      stopping.throwIfAborted();
      if (performance.now() > end) throw error;
      logOutage(logger, part, error, `the ${part} does not answer yet`);
    }
  }
}

/** @throws the error of the answer, or another when it is late or the process has to end */
async function inTime<T>(answer: Promise<T>, stopping: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const late = delay(ANSWER_WITHIN_MS, undefined, { signal: AbortSignal.any([stopping, ended.signal]) }).then(() => {
    throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    ended.abort();
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
