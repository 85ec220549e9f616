/** Makes the queue agree with the rows again: whatever is committed and due, and is not on the queue, is enqueued. */

import { JOB_TYPES } from '../../domain/job-types.js';
import { advanceJob } from '../../domain/jobs/apply-chunks.js';
import { overdueDispatches, releaseLost, stuckJobs } from '../../domain/jobs/reconcile-jobs.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import { reconcileDeliveries } from './reconcile-deliveries.js';
import { reconcileFanOuts } from './reconcile-fan-outs.js';
import { reconcileOrder } from './reconcile-order.js';
import { rescueLost } from './rescue-lost.js';

/** One pass. @returns how many dispatches had been lost */
export async function reconcile(services: WorkerServices): Promise<number> {
  const { db, config } = services;
  const rescued = await rescueLost(services, await overdueDispatches(db, config.reconcileGraceMs));
  for (const jobId of await stuckJobs(db)) await send(services, await advanceJob(db, jobId));
  await send(services, await releaseLost(db, JOB_TYPES));
  const planned = await reconcileOrder(services);
  return rescued + planned + (await reconcileFanOuts(services)) + (await reconcileDeliveries(services));
}
