/** Enqueues deliveries again that the queue has lost. */
import {
  type DeliveryDispatch,
  noteDeliveriesSeen,
  overdueDeliveries,
  redispatchDeliveries,
} from '../../domain/webhooks/delivery/lost-deliveries.js';
import { isDispatchPending } from '../../queues/dispatch.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** Asked of the queue at a time. */
const ASKED_AT_ONCE = 50;

/** One pass. @returns how many had been lost */
export async function reconcileDeliveries(services: WorkerServices): Promise<number> {
  const { db, producer, config, logger } = services;
  const overdue = await overdueDeliveries(db, config.reconcileGraceMs);
  const seen: DeliveryDispatch[] = [];
  const lost: DeliveryDispatch[] = [];
  for (let from = 0; from < overdue.length; from += ASKED_AT_ONCE) {
    const asked = overdue.slice(from, from + ASKED_AT_ONCE);
    const pending = await Promise.all(asked.map((dispatch) => isDispatchPending(producer, dispatch)));
    for (const [index, dispatch] of asked.entries()) (pending[index] === true ? seen : lost).push(dispatch);
  }
  await noteDeliveriesSeen(db, seen);
  const again = await redispatchDeliveries(db, lost);
  if (again.length === 0) return 0;
  logger.info({ count: again.length }, 'the queue had lost deliveries; enqueued them again');
  await send(services, again);
  return again.length;
}
