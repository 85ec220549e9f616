/** Runs one queue's handler: the only place that makes a BullMQ worker. */
import { type Job, Worker } from 'bullmq';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract } from '../queues/define-queue.js';
import type { WorkerServices } from './context.js';
import type { Handler } from './handler.js';

/** Crashes of a worker are no fault of the job: our own rows count what is given up. */
const MAX_STALLS = 1_000;

/** Why a handler was told to stop. */
export class HandedBack extends Error {
  override readonly name = 'HandedBack';
}

export interface RunningWorker {
  readonly queue: string;
  /** Takes no further job. Resolves when those in hand are done. */
  drain(): Promise<void>;
  /** Tells the jobs in hand to stop and hand their work back. */
  abort(): void;
}

export function runWorker<Payload>(
  contract: QueueContract<Payload>,
  handler: Handler<Payload>,
  services: WorkerServices,
  connection: QueueConnection,
  concurrency: number,
): RunningWorker {
  const { config, logger } = services;
  const worker = new Worker(
    contract.name,
    async (job: Job, _token: string | undefined, signal: AbortSignal | undefined) => {
      const payload = contract.payload.parse(job.data);
      try {
        await handler.run(services, payload, signal ?? new AbortController().signal);
      } catch (error) {
        await handler.failed(
          services,
          payload,
          signal?.aborted === true ? new HandedBack(String(signal.reason)) : error,
        );
      }
    },
    {
      connection: connection.connection,
      prefix: connection.prefix,
      concurrency,
      lockDuration: config.lockMs,
      stalledInterval: config.stalledMs,
      maxStalledCount: MAX_STALLS,
      removeOnComplete: { count: 0 },
      removeOnFail: { age: 86_400, count: 1_000 },
    },
    connection.backendFactory,
  );
  worker.on('error', (error) => logger.warn({ err: error, queue: contract.name }, 'the queue reported an error'));
  worker.on('failed', (job, error) => logger.error({ err: error, queue: contract.name, job: job?.id }, 'a job failed'));
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'the lock of the job was lost');
  });
  return {
    queue: contract.name,
    drain: () => worker.close(),
    abort: () => worker.cancelAllJobs('the worker is shutting down'),
  };
}
