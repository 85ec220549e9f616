/** Waits for the queue before anything is made that needs it. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.js';
import type { QueueConnection } from '../platform/queue-connection.js';

const PAUSE_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/**
 * A queue of BullMQ that is made while Postgres does not accept connections (it starts, or recovers) remembers that for
 * ever, and its worker tries again without end or pause.
 * @throws what the queue says after half a minute: who started the process starts another
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
