/** Waits until a healed system has ended everything that it has accepted. */
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config.js';
import { createLogger } from '../../src/platform/logger.js';
import { openQueueConnection } from '../../src/platform/queue-connection.js';
import { createProducer } from '../../src/queues/producer.js';
import { select } from './audit/audited.js';
import type { Cluster } from './cluster.js';

const POLL_MS = 250;
const SAY_EVERY_MS = 10_000;

/** On a machine that is overloaded for so long, the run says nothing. */
const MOST_MS = 900_000;

/**
 * @param withinMs time in which the machine is overloaded does not count
 * @param overloadedMs for how long it has been overloaded so far
 * @param onWaiting is notified now and then of what has not ended yet
 * @returns what has not ended within the time: a count for each kind of work; empty when all has
 */
export async function untilQuiet(
  cluster: Cluster,
  withinMs: number,
  overloadedMs: () => number,
  onWaiting: (left: readonly string[]) => void,
): Promise<string[]> {
  const { databaseUrl: DATABASE_URL, redisUrl, secretsKeys } = cluster;
  const environment = { DATABASE_URL, SECRETS_KEY: secretsKeys.join(','), ...(redisUrl && { REDIS_URL: redisUrl }) };
  const logger = createLogger('chaos', 'silent');
  const onConnect = async () => undefined;
  const connection = openQueueConnection({
    ...loadConfig(environment),
    role: 'producer',
    poolMax: 2,
    onConnect,
    logger,
  });
  const producer = createProducer(connection, () => undefined);
  let sayAt = Date.now() + SAY_EVERY_MS;
  try {
    const beganAt = Date.now();
    const overloadedBefore = overloadedMs();
    for (; ; await delay(POLL_MS)) {
      const open = await openWork(cluster);
      for (const queue of producer.queues()) {
        const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
        for (const [state, count] of Object.entries(counts))
          open.set(`${state} jobs of the queue ${queue.name}`, count);
      }
      const left = [...open].filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
      if (left.length === 0) return [];
      const tookMs = Date.now() - beganAt;
      if (tookMs - (overloadedMs() - overloadedBefore) > withinMs || tookMs > MOST_MS) return left;
      if (Date.now() < sayAt) continue;
      sayAt = Date.now() + SAY_EVERY_MS;
      onWaiting(left);
    }
  } finally {
    await producer.close();
    await connection.close();
  }
}

async function openWork({ db }: Cluster): Promise<Map<string, number>> {
  const [row] = await select(
    db,
    `SELECT (SELECT count(*)::integer FROM job WHERE completed_at IS NULL AND status <> 'AWAITING_UPLOAD') AS jobs,
            (SELECT count(*)::integer FROM event WHERE fanned_out_at IS NULL) AS "events that are not fanned out",
            (SELECT count(*)::integer FROM delivery WHERE status = 'PENDING') AS "pending deliveries"`,
  );
  return new Map(Object.entries(row));
}
