/** Starts the workers of some queue groups, and stops them in order. */

import type { Job } from 'bullmq';
import { DelayedError, WaitingError, Worker } from 'bullmq';
import { DeliveryEngine } from '../domain/webhooks/delivery-engine.js';
import { Targets } from '../domain/webhooks/targets.js';
import { within } from '../platform/concurrency/within.js';
import { createNameResolver } from '../platform/name-resolver.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract, QueueGroup } from '../queues/define-queue.js';
import { queues } from '../queues/index.js';
import type { HandlerServices, WorkerServices } from './context.js';
import type { Handler } from './handler.js';
import { handlers } from './index.js';
import type { RunningMaintenance } from './maintenance/run-maintenance.js';
import { runMaintenance } from './maintenance/run-maintenance.js';
import { Snooze } from './snooze.js';
import { stopBudget } from './stop-budget.js';

/**
 * Jobs that a process applies as a whole at once: each holds a transaction open, a connection and two chunks' memory, and
 * none should wait for another tenant's to end. Files of one chunk do not come here: their plan step carries them out.
 */
export const ATOMIC_JOBS = 4;

/** Of the queues on Postgres: each worker keeps one for LISTEN, and all share the rest. With too few nothing is ever taken. */
export const CONSUMING_CONNECTIONS = Object.keys(queues).length + 8;

export const WORKER_GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;
export type WorkerGroup = (typeof WORKER_GROUPS)[number];

interface RunningWorkers {
  /** Finishes what is in hand within most of the grace period, then hands the rest back. */
  stop(): Promise<void>;
}

export function startWorkers(
  services: WorkerServices,
  connection: QueueConnection,
  groups: ReadonlySet<WorkerGroup>,
): RunningWorkers {
  const { config, logger } = services;
  const concurrency = {
    planJob: config.planConcurrency,
    applyChunk: config.chunkConcurrency,
    applyAtomicJob: ATOMIC_JOBS,
    finishJob: 2,
    fanOutEvent: 2,
    replayDeliveries: 1,
    deliverBatch: config.webhooks.deliveryConcurrency,
    deliverWebhook: config.webhooks.deliveryConcurrency,
    redeliverWebhook: config.webhooks.deliveryConcurrency,
    exportJob: config.exportConcurrency,
  } satisfies Record<keyof typeof queues, number>;
  const { deliveries, close } = openDeliveries(services);
  const handlerServices: HandlerServices = { ...services, deliveries };
  const names = Object.keys(queues) as (keyof typeof queues)[];
  const workers: RunningWorker[] = names
    .filter((name) => (groups as ReadonlySet<QueueGroup | WorkerGroup>).has(queues[name].group))
    .map((name) =>
      runWorker(
        queues[name] as QueueContract<unknown>,
        handlers[name] as Handler<unknown, HandlerServices>,
        handlerServices,
        connection,
        concurrency[name],
      ),
    );
  const maintenance: RunningMaintenance | undefined = groups.has('maintenance') ? runMaintenance(services) : undefined;

  return {
    stop: async () => {
      const { drainMs, handBackMs } = stopBudget(config.shutdownGraceMs);
      const drained = Promise.all([...workers.map((worker) => worker.drain()), maintenance?.stop()]);
      if (!(await within(drained, drainMs))) {
        logger.warn('the time to finish is over; work in hand is handed back');
        for (const worker of workers) worker.handBack();
        await within(drained, handBackMs);
      }
      await close();
    },
  };
}

// What the delivery handlers of a process share: its engine, and the connections to targets.

/** A breaker's opening doubles so often at most: from 30 s to 16 minutes. */
const LONGEST_OPENING = 32;

interface OpenDeliveries {
  readonly deliveries: DeliveryEngine;
  close(): Promise<void>;
}

function openDeliveries(services: WorkerServices): OpenDeliveries {
  const { db, config, logger, resolveName = createNameResolver() } = services;
  const { allowedNetworks, scheduleMs, breakerOpenMs, timeoutMs, endpointConcurrency, deliveryConcurrency } =
    config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName, timeoutMs });
  const policy = { scheduleMs, breakerOpenMs, breakerMaxMs: LONGEST_OPENING * breakerOpenMs };
  const { secretsKeys } = config;
  return {
    deliveries: new DeliveryEngine({
      ...{ db, sender: targets.sender, secretsKeys, policy, logger },
      perEndpoint: endpointConcurrency,
      inFlight: deliveryConcurrency,
    }),
    close: () => targets.close(),
  };
}

// Runs one queue's handler: the only place that makes a BullMQ worker.

/** Crashes of a worker are no fault of the job: our own rows count what is given up. */
const MAX_STALLS = 1_000;
/** Starts of one dispatch. Work that takes its worker down with it comes back for ever; now and then it counts as a failure. */
const MAX_STARTS = 5;

interface RunningWorker {
  readonly queue: string;
  /** Takes no further job. Resolves when those in hand are done, and the queue knows it where it can be told. */
  drain(): Promise<void>;
  /** Hands the jobs in hand back to the queue, for another worker to take at once. */
  handBack(): void;
}

function runWorker<Payload, Services extends WorkerServices>(
  contract: QueueContract<Payload>,
  handler: Handler<Payload, Services>,
  services: Services,
  connection: QueueConnection,
  concurrency: number,
): RunningWorker {
  const { config, logger } = services;
  const inHand = new Set<Promise<void>>();

  async function work(job: Job, token: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    const payload = contract.payload.parse(job.data);
    const stop = signal ?? new AbortController().signal;
    try {
      await start(job, payload, stop);
    } catch (error) {
      if (error instanceof Snooze) return snooze(job, token, error.delayMs);
      if (stop.aborted) return giveBack(job, token);
      await failed(job, token, payload, error);
    }
  }

  async function start(job: Job, payload: Payload, stop: AbortSignal): Promise<void> {
    if (handler.mindsSignal) return handler.run(services, payload, stop);
    if (job.attemptsStarted > MAX_STARTS) throw new Error(`${MAX_STARTS} workers ended in the middle of this`);
    return unlessAborted(stop, handler.run(services, payload, stop));
  }

  async function failed(job: Job, token: string | undefined, payload: Payload, error: unknown): Promise<void> {
    try {
      await handler.failed(services, payload, error);
    } catch (reason) {
      if (reason instanceof Snooze) return snooze(job, token, reason.delayMs);
      throw reason;
    }
  }

  const worker = new Worker(
    contract.name,
    async (job: Job, token: string | undefined, signal: AbortSignal | undefined) => {
      const working = work(job, token, signal);
      inHand.add(working);
      try {
        await working;
      } finally {
        inHand.delete(working);
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
    // Who minds the signal has done what cannot be taken back, and records it.
    if (handler.mindsSignal) return;
    for (const id of ids) worker.cancelJob(id, 'the lock of the job was lost');
  });
  return {
    queue: contract.name,
    drain: async () => {
      const closed = worker.close();
      // A worker whose queue is out of reach would wait for it to come back.
      const idle = Promise.allSettled(inHand).then(() => (connection.isUp() ? closed : undefined));
      await Promise.race([closed, idle]);
    },
    handBack: () => worker.cancelAllJobs('the worker is shutting down'),
  };
}

/** Does not wait for work that was told to stop: it may hang in the database, and the rows' fence refuses what it does late. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Error(String(signal.reason)));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}

/**
 * Under its old dispatch number, for the row may be locked by the very work that hangs, and no attempt is spent.
 * @throws always: it is how BullMQ is told that the job is neither done nor failed
 */
async function giveBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token).catch(() => {
    // The lock was lost: the job is another worker's already, or will be when that is noticed.
  });
  throw new WaitingError();
}

/** @throws always, like giveBack */
async function snooze(job: Job, token: string | undefined, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token).catch(() => {
    // The lock was lost, or the queue is out of reach: it runs again when that is noticed.
  });
  throw new DelayedError();
}
