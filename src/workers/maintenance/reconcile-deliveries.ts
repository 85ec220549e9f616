/** Enqueues deliveries again that the queue has lost. */
import {
  type DueDelivery,
  dispatchOf,
  noteDeliveriesSeen,
  overdueDeliveries,
  redispatchDeliveries,
} from '../../domain/webhooks/redispatch.js';
import { isDispatchPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** A sample: of a backlog that the queue still has, little is asked. */
const SAMPLE = 100;
/** Where some of a sample were lost, all may have been. */
const BATCH = 2_000;
const MOST_BATCHES = 10;
/** Asked of the queue at a time. */
const ASKED_AT_ONCE = 50;

/** One pass. @returns how many had been lost */
export async function reconcileDeliveries(services: WorkerServices): Promise<number> {
  let rescued = 0;
  for (let batch = 0, most = SAMPLE; batch < MOST_BATCHES; batch++, most = BATCH) {
    const lost = await lookAt(services, most);
    rescued += lost;
    if (lost === 0) break;
  }
  if (rescued > 0) services.logger.info({ count: rescued }, 'the queue had lost deliveries; enqueued them again');
  return rescued;
}

/** @returns how many of them were lost and are enqueued again */
async function lookAt(services: WorkerServices, most: number): Promise<number> {
  const { db, producer, config } = services;
  const overdue = await overdueDeliveries(db, config.reconcileGraceMs, most);
  const carriers = [...new Map(overdue.map((due) => [carrierOf(due), dispatchOf(due)]))];
  const pending = new Set<string>();
  for (let from = 0; from < carriers.length; from += ASKED_AT_ONCE) {
    const asked = carriers.slice(from, from + ASKED_AT_ONCE);
    const answers = await Promise.all(asked.map(([, dispatch]) => isDispatchPending(producer, dispatch)));
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
  const { queue, payload } = dispatchOf(due);
  return JSON.stringify([queue, payload]);
}
