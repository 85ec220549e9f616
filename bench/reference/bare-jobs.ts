/** Jobs that do nothing, through BullMQ itself. */
import { Queue } from 'bullmq';
import type { Backend } from '../backend.js';
import { bareConnection } from './bare-connection.js';
import { startChild } from './child-program.js';

const BARE_WORKER = new URL('./bare-worker.js', import.meta.url);
const BARE_QUEUE = 'bare-jobs';
/** An addBulk each; 100 make no difference. */
const JOBS_PER_ADD = 1_000;
/** The one that was fastest of 8, 32 and 100. */
const CONCURRENCY = { pg: 32, redis: 100 };

export interface BareJobs {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly backend: Backend;
  readonly count: number;
}

/** @returns jobs a second, from the first addBulk until the worker, in a process of its own, has completed the last */
export async function runBareJobs({ databaseUrl, redisUrl, backend, count }: BareJobs): Promise<number> {
  const producing = bareConnection(databaseUrl, redisUrl);
  const { connection, prefix, backendFactory } = producing;
  const queue = new Queue(BARE_QUEUE, { connection, prefix }, backendFactory);
  const addresses = redisUrl === undefined ? [databaseUrl] : [databaseUrl, redisUrl];
  const args = [BARE_QUEUE, String(count), String(CONCURRENCY[backend]), ...addresses];
  const worker = startChild<{ left: number }>(BARE_WORKER, args);
  try {
    await worker.message(() => true);
    const start = performance.now();
    for (let added = 0; added < count; added += JOBS_PER_ADD) {
      await queue.addBulk(
        Array.from({ length: Math.min(JOBS_PER_ADD, count - added) }, (_, index) => ({
          name: BARE_QUEUE,
          data: { number: added + index },
          opts: { removeOnComplete: true },
        })),
      );
    }
    await worker.message(({ left }) => left === 0);
    return count / ((performance.now() - start) / 1000);
  } finally {
    await worker.stop();
    await queue.close();
    await producing.close();
  }
}
