/** The reference of `jobs`: a BullMQ worker that does nothing. A process of its own; arguments: queue, Postgres URL, Redis URL. */
import { Worker } from 'bullmq';
import { bareConnection } from './bare-connection.js';

const [queue = '', databaseUrl = '', redisUrl] = process.argv.slice(2);
const { connection, backendFactory, prefix } = bareConnection(databaseUrl, redisUrl);
/** More does not help on either engine. */
const CONCURRENCY = 32;

let done = 0;
const worker = new Worker(
  queue,
  async () => undefined,
  { connection, prefix, concurrency: CONCURRENCY, removeOnComplete: { count: 0 } },
  backendFactory,
);
worker.on('completed', () => {
  done += 1;
  process.send?.({ done });
});
await worker.waitUntilReady();
process.send?.({ done });
process.once('disconnect', () => process.exit());
