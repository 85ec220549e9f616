/** Enqueues plan steps again that the queue has lost, releases what was not, and has the order of the sites swept. */
import { reconcileOrders } from '../../domain/jobs/reconcile-jobs.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import { rescueLost } from './rescue-lost.js';

/** One pass over all sites that have jobs. @returns how many plan steps had been lost */
export async function reconcileOrder(services: WorkerServices): Promise<number> {
  let rescued = 0;
  for await (const { due, overdue } of reconcileOrders(services.db, services.config.reconcileGraceMs)) {
    await send(services, due);
    rescued += await rescueLost(services, overdue);
  }
  return rescued;
}
