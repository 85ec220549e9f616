/** The reference of `latency`: what accepting and ending a job cannot do without, two commits and one round trip of the queue. */
import { type IQueueBackend, Queue, QueueEvents } from 'bullmq';
import type pg from 'pg';
import { bareConnection } from './bare-connection.js';
import { startChild } from './child-program.js';

const BARE_WORKER = new URL('./bare-worker.js', import.meta.url);
const QUEUE = 'bare-round-trip';
/** The worker serves until it is stopped. */
const NO_END = 'Infinity';
/** On Postgres, an event that is written while QueueEvents reads wakes nobody: it is found when this time has passed. */
const LOOK_AGAIN_MS = 100;
/** Longer than a worker of BullMQ sleeps at most when it has missed a notification. */
const ANSWERED_WITHIN_MS = 60_000;

export interface RoundTrips {
  /** Commits a body, has a worker in another process do nothing, commits that it is done. */
  once(body: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startRoundTrips(
  db: pg.Client,
  databaseUrl: string,
  redisUrl: string | undefined,
): Promise<RoundTrips> {
  await db.query(
    `CREATE TABLE IF NOT EXISTS bare_job
       (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body jsonb NOT NULL, done boolean NOT NULL DEFAULT false)`,
  );
  const producing = bareConnection(databaseUrl, redisUrl);
  const { connection, prefix, backendFactory } = producing;
  const queue = new Queue(QUEUE, { connection, prefix }, backendFactory);
  const events = new QueueEvents(QUEUE, { connection, prefix, blockingTimeout: LOOK_AGAIN_MS }, backendFactory);
  const addresses = redisUrl === undefined ? [databaseUrl] : [databaseUrl, redisUrl];
  const worker = startChild<{ left: number }>(BARE_WORKER, [QUEUE, NO_END, '1', ...addresses]);
  await Promise.all([worker.message(() => true), events.waitUntilReady()]);
  return {
    once: async (body) => {
      const { rows } = await db.query<{ id: string }>('INSERT INTO bare_job (body) VALUES ($1) RETURNING id', [body]);
      const jobId = `round-trip-${rows[0]?.id}`;
      // Heard of before it is added: the worker removes what it has completed, so that nothing is left to ask for.
      const completed = completionOf(events, jobId);
      await queue.add(QUEUE, {}, { jobId });
      await completed;
      await db.query('UPDATE bare_job SET done = true WHERE id = $1', [rows[0]?.id]);
    },
    stop: async () => {
      await worker.stop();
      await Promise.all([queue.close(), events.close()]);
      await producing.close();
    },
  };
}

function completionOf(events: QueueEvents<unknown, IQueueBackend>, jobId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      events.off('completed', onCompleted);
      reject(new Error(`the bare worker has not completed ${jobId} in ${ANSWERED_WITHIN_MS} ms`));
    }, ANSWERED_WITHIN_MS);
    const onCompleted = (completed: { readonly jobId: string }) => {
      if (completed.jobId !== jobId) return;
      clearTimeout(late);
      events.off('completed', onCompleted);
      resolve();
    };
    events.on('completed', onCompleted);
  });
}
