/** BullMQ's connection, on the engine that the benchmark runs on. */
import { pino } from 'pino';
import { watchConnections } from '../../db/connection-watch.js';
import { openQueueConnection, type QueueConnection } from '../../src/platform/queue-connection.js';

/** @param redisUrl undefined: the queue is on Postgres, in the schema that the service's queues have */
export function bareConnection(databaseUrl: string, redisUrl: string | undefined): QueueConnection {
  return openQueueConnection({
    databaseUrl,
    redisUrl,
    queuePrefix: redisUrl === undefined ? 'bullmq' : '{bare}',
    role: 'worker',
    poolMax: 10,
    onConnect: watchConnections({ url: databaseUrl }).add,
    logger: pino({ level: 'warn' }, pino.destination(2)),
  });
}
