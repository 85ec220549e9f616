/** Starts the workers of some queue groups, and stops them in order. */

import { within } from '../platform/concurrency/within.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract, QueueGroup } from '../queues/define-queue.js';
import { queues } from '../queues/index.js';
import type { HandlerServices, WorkerServices } from './context.js';
import type { Handler } from './handler.js';
import { handlers } from './index.js';
import { type RunningMaintenance, runMaintenance } from './maintenance/run-maintenance.js';
import { openDeliveries } from './open-deliveries.js';
import { type RunningWorker, runWorker } from './run-worker.js';
import { stopBudget } from './stop-budget.js';

/**
 * Jobs that a process applies as a whole at once: each holds a transaction open, a connection and two chunks' memory, and
 * none should wait for another tenant's to end. Files of one chunk do not come here: their plan step carries them out.
 */
export const WHOLE_JOBS = 4;

/** Of the queues on Postgres: each worker keeps one for LISTEN, and all share the rest. With too few nothing is ever taken. */
export const CONSUMING_CONNECTIONS = Object.keys(queues).length + 8;

export const WORKER_GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;
export type WorkerGroup = (typeof WORKER_GROUPS)[number];

export interface RunningWorkers {
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
    applyWholeJob: WHOLE_JOBS,
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
