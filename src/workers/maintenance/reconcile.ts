/** Makes the queue agree with the rows again: whatever is committed and due, and is not on the queue, is enqueued. */
import { JOB_TYPES } from '../../domain/job-types.js';
import { advanceJob } from '../../domain/jobs/apply-chunks.js';
import {
  noteSeen,
  overdueEntries,
  reconcileOrders,
  redispatchLost,
  releaseLost,
  stuckJobs,
} from '../../domain/jobs/reconcile-jobs.js';
import type { DueDelivery } from '../../domain/webhooks/redispatch.js';
import {
  entryOf,
  noteDeliveriesSeen,
  overdueDeliveries,
  overdueFanOuts,
  redispatchDeliveries,
  redispatchFanOut,
} from '../../domain/webhooks/redispatch.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { isEntryPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** One pass. @returns how many dispatches had been lost */
export async function reconcile(services: WorkerServices): Promise<number> {
  const { db, config } = services;
  const rescued = await rescueLost(services, await overdueEntries(db, config.reconcileGraceMs));
  for (const jobId of await stuckJobs(db)) await send(services, await advanceJob(db, jobId));
  await send(services, await releaseLost(db, JOB_TYPES));
  const planned = await reconcileOrder(services);
  return rescued + planned + (await reconcileFanOuts(services)) + (await reconcileDeliveries(services));
}

// Enqueues deliveries again that the queue has lost.

/** A sample: of a backlog that the queue still has, little is asked. */
const SAMPLE = 100;
/** Where some of a sample were lost, all may have been. */
const BATCH = 2_000;
const MOST_BATCHES = 10;
/** Asked of the queue at a time. */
const ASKED_AT_ONCE = 50;

/** One pass. @returns how many had been lost */
async function reconcileDeliveries(services: WorkerServices): Promise<number> {
  let rescued = 0;
  for (let batch = 0, most = SAMPLE; batch < MOST_BATCHES; batch++, most = BATCH) {
    const lost = await reconcileAll(services, most);
    rescued += lost;
    if (lost === 0) break;
  }
  if (rescued > 0) services.logger.info({ count: rescued }, 'the queue had lost deliveries; enqueued them again');
  return rescued;
}

/** @returns how many of them were lost and are enqueued again */
async function reconcileAll(services: WorkerServices, most: number): Promise<number> {
  const { db, producer, config } = services;
  const overdue = await overdueDeliveries(db, config.reconcileGraceMs, most);
  const carriers = [...new Map(overdue.map((due) => [carrierOf(due), entryOf(due)]))];
  const pending = new Set<string>();
  for (let from = 0; from < carriers.length; from += ASKED_AT_ONCE) {
    const asked = carriers.slice(from, from + ASKED_AT_ONCE);
    const answers = await Promise.all(asked.map(([, entry]) => isEntryPending(producer, entry)));
    for (const [index, [carrier]] of asked.entries()) if (answers[index] === true) pending.add(carrier);
  }
  const seen = overdue.filter((due) => pending.has(carrierOf(due)));
  const lost = overdue.filter((due) => !pending.has(carrierOf(due)));
  await noteDeliveriesSeen(db, seen);
  const again = await redispatchDeliveries(db, lost);
  await send(services, again);
  return again.length;
}

/** Deliveries of one batch are carried by one job. */
function carrierOf(due: DueDelivery): string {
  const { queue, payload } = entryOf(due);
  return JSON.stringify([queue, payload]);
}

// Enqueues again what the queue has lost.

/** @param overdue what should have been on the queue for a while @returns how many of them were not */
async function rescueLost(services: WorkerServices, overdue: readonly JobOutboxEntry[]): Promise<number> {
  const { db, producer, logger } = services;
  let rescued = 0;
  const seen: JobOutboxEntry[] = [];
  for (const entry of overdue) {
    if (await isEntryPending(producer, entry)) {
      seen.push(entry);
      continue;
    }
    const again = await redispatchLost(db, entry);
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload, queue: entry.queue }, 'the queue had lost a dispatch; enqueued it again');
    await send(services, [again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}

// Has fan-outs that the queue has lost go on where they were.

/** One pass. @returns how many had been lost */
async function reconcileFanOuts(services: WorkerServices): Promise<number> {
  const { db, producer, config, logger } = services;
  let rescued = 0;
  for (const entry of await overdueFanOuts(db, config.reconcileGraceMs)) {
    if (await isEntryPending(producer, entry)) continue;
    const again = await redispatchFanOut(db, entry);
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload }, 'the queue had lost a fan-out; enqueued it again');
    await send(services, [again]);
  }
  return rescued;
}

// Enqueues plan steps again that the queue has lost, releases what was not, and has the order of the sites swept.

/** One pass over all sites that have jobs. @returns how many plan steps had been lost */
async function reconcileOrder(services: WorkerServices): Promise<number> {
  let rescued = 0;
  for await (const { due, overdue } of reconcileOrders(services.db, services.config.reconcileGraceMs)) {
    await send(services, due);
    rescued += await rescueLost(services, overdue);
  }
  return rescued;
}
