/** Starts the workers of some queue groups, and shuts them down gracefully. */

import { within } from '../platform/concurrency/within.js';
import { Contention } from '../platform/limits/contention.js';
import { createSemaphore } from '../platform/limits/semaphore.js';
import { SharedLimit } from '../platform/limits/shared-limit.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract, QueueGroup } from '../queues/define-queue.js';
import { queues } from '../queues/index.js';
import { CancelledJobs } from './cancelled-jobs.js';
import { ATOMIC_JOBS } from './connections.js';
import type { HandlerServices, WorkerServices } from './context.js';
import type { Handler } from './handler.js';
import { createHandlers } from './index.js';
import { lookAtFeeds } from './look-at-feeds.js';
import type { RunningMaintenance } from './maintenance/run-maintenance.js';
import { runMaintenance } from './maintenance/run-maintenance.js';
import { openDeliveries } from './open-deliveries.js';
import { type RunningWorker, runWorker } from './run-queue/run-worker.js';
import { stopBudget } from './stop-budget.js';

/** Queue jobs with small jobs that a process picks up at the same time, to execute them together. */
const BATCHES_AHEAD = 16;

/** Fan-outs that a process has picked up. Most of one account wait for each other, and leave places for those of others. */
const FAN_OUTS = 8;

/**
 * Deliveries of one account that are in flight at the same time in a busy process, while it has deliveries of others or
 * executes steps of jobs: each answer that arrives at the same moment keeps these waiting. A file of another tenant took
 * 530 ms instead of 54 without it.
 */
const LEAST_DELIVERIES = 4;

/** Files that a process inspects at the same time: each computes, and holds memory for every column. */
const INSPECTIONS = 2;

/** Runs of feeds that a process executes at the same time: they mostly wait for servers of somebody else. */
const FEED_RUNS = 8;

export const WORKER_GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;
export type WorkerGroup = (typeof WORKER_GROUPS)[number];

interface RunningWorkers {
  /** Finishes running jobs within most of the grace period, then returns the rest to the queue. */
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
    planBatch: BATCHES_AHEAD,
    applyChunk: config.chunkConcurrency,
    applyAtomicJob: ATOMIC_JOBS,
    finishJob: 2,
    fanOutEvent: FAN_OUTS,
    replayDeliveries: 1,
    deliverBatch: config.webhooks.deliveryConcurrency,
    deliverWebhook: config.webhooks.deliveryConcurrency,
    redeliverWebhook: config.webhooks.deliveryConcurrency,
    exportJob: config.exportConcurrency,
    inspectFile: INSPECTIONS,
    feedRun: FEED_RUNS,
  } satisfies Record<keyof typeof queues, number>;
  const handlers = createHandlers();
  const { deliveryConcurrency } = config.webhooks;
  const contention = new Contention();
  const ofAccount = new SharedLimit({
    alone: deliveryConcurrency,
    contended: deliveryConcurrency,
    least: LEAST_DELIVERIES,
    contention,
  });
  const { deliveries, close } = openDeliveries(services, ofAccount);
  const handlerServices: HandlerServices = { ...services, contention, deliveries, fanOuts: deliveries };
  const { db, dbBeside = db } = services;
  const cancelledJobs = new CancelledJobs(dbBeside, logger);
  const alone = createSemaphore(ALONE_AT_ONCE);
  const names = Object.keys(queues) as (keyof typeof queues)[];
  const workers: RunningWorker[] = names
    .filter((name) => (groups as ReadonlySet<QueueGroup | WorkerGroup>).has(queues[name].group))
    .map((name) =>
      runWorker(
        name,
        queues[name] as QueueContract<unknown>,
        handlers[name] as Handler<unknown, HandlerServices>,
        handlerServices,
        { connection, concurrency: concurrency[name], alone, cancelledJobs },
      ),
    );
  const maintenance: RunningMaintenance | undefined = groups.has('maintenance')
    ? runMaintenance({ ...services, db: dbBeside })
    : undefined;
  const looking = groups.has(queues.feedRun.group) ? lookAtFeeds({ ...services, db: dbBeside }) : undefined;

  return {
    stop: async () => {
      const { drainMs, handBackMs } = stopBudget(config.shutdownGraceMs);
      const drained = Promise.all([...workers.map((worker) => worker.drain()), maintenance?.stop(), looking?.stop()]);
      if (!(await within(drained, drainMs))) {
        logger.warn('the grace period is nearly over; running jobs are returned to the queue');
        for (const worker of workers) worker.handBack();
        await within(drained, handBackMs);
      }
      cancelledJobs.stop();
      await close();
    },
  };
}
/** Steps that a process has executed by themselves at the same time: each needs a process, and half a dozen connections. */
const ALONE_AT_ONCE = 2;
