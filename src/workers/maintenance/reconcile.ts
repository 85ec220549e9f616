/** Makes the queue agree with the rows again: whatever is committed and due, and is not on the queue, is enqueued. */
import { advanceJob } from '../../domain/jobs/advance-job.js';
import { takeUpExports } from '../../domain/jobs/export-window.js';
import { noteSeen, overdueDispatches, redispatchLost, stuckJobs } from '../../domain/jobs/lost-dispatches.js';
import { isDispatchPending, type JobDispatch } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import { reconcileDeliveries } from './reconcile-deliveries.js';
import { reconcileFanOuts } from './reconcile-fan-outs.js';
import { reconcileOrder } from './reconcile-order.js';

/** One pass. @returns how many dispatches had been lost */
export async function reconcile(services: WorkerServices): Promise<number> {
  const { db, producer, config, logger } = services;
  let rescued = 0;
  const seen: JobDispatch[] = [];
  for (const dispatch of await overdueDispatches(db, config.reconcileGraceMs)) {
    if (await isDispatchPending(producer, dispatch)) {
      seen.push(dispatch);
      continue;
    }
    const again = await redispatchLost(db, dispatch);
    if (again === null) continue;
    rescued++;
    logger.info({ ...dispatch.payload, queue: dispatch.queue }, 'the queue had lost a dispatch; enqueued it again');
    await send(services, [again]);
  }
  await noteSeen(db, seen);
  for (const jobId of await stuckJobs(db)) await send(services, await advanceJob(db, jobId));
  await send(services, await takeUpExports(db, null));
  rescued += await reconcileOrder(services);
  return rescued + (await reconcileFanOuts(services)) + (await reconcileDeliveries(services));
}
