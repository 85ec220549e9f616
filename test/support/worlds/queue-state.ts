/** A look into the queues, and the worst that can happen to them. */
import { Redis } from 'ioredis';
import type { Producer } from '../../../src/queues/producer.js';
import type { Backend } from '../for-each-backend.js';

/** Jobs that no worker has taken yet. */
export async function waitingJobs(producer: Producer, queueName: string): Promise<number> {
  const queue = producer.queues().find(({ name }) => name === queueName);
  if (queue === undefined) throw new Error(`there is no queue ${queueName}`);
  const counts = await queue.getJobCounts('waiting', 'delayed', 'prioritized');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Takes everything out of the queues, running jobs too: FLUSHALL where they are in Redis. */
export async function emptyQueues(producer: Producer, backend: Backend): Promise<void> {
  if (backend.redisUrl === undefined) {
    await Promise.all(producer.queues().map((queue) => queue.obliterate({ force: true }).then(() => queue.resume())));
    return;
  }
  const redis = new Redis(backend.redisUrl);
  try {
    await redis.flushall();
  } finally {
    redis.disconnect();
  }
}
