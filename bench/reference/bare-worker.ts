/** The reference of `jobs`: a BullMQ worker that does nothing, a process of its own. Tells when it is ready, and when it has done all. */
import { Worker } from 'bullmq';
import { bareConnection } from './bare-connection.js';

const [queue = '', count = '', concurrency = '', databaseUrl = '', redisUrl] = process.argv.slice(2);
const { connection, backendFactory, prefix } = bareConnection(databaseUrl, redisUrl);

let left = Number(count);
const worker = new Worker(
  queue,
  async () => undefined,
  { connection, prefix, concurrency: Number(concurrency), removeOnComplete: { count: 0 } },
  backendFactory,
);
worker.on('completed', () => {
  left -= 1;
  if (left === 0) process.send?.({ left });
});
await worker.waitUntilReady();
process.send?.({ left });
process.once('disconnect', () => process.exit());
