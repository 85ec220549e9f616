/** Waits until the queue answers, before queues and workers are created. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.js';
import type { QueueConnection } from '../platform/queue-connection.js';

const PAUSE_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/**
 * A BullMQ queue that is created while Postgres does not accept connections (it starts, or recovers) never works, and
 * its worker retries endlessly without a pause.
 * @throws the error of the queue after half a minute: the supervisor of the process has to restart it
 */
export async function untilQueueAnswers(connections: readonly QueueConnection[], logger: Logger): Promise<void> {
  for (const until = performance.now() + LONGEST_WAIT_MS; ; await delay(PAUSE_MS)) {
    try {
      await Promise.all(connections.map((connection) => connection.ping()));
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      logger.warn({ err: error }, 'the queue does not answer yet');
    }
  }
}
