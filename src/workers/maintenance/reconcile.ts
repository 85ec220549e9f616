/** Makes the queue consistent with the database: enqueues what is committed and due, but is not on the queue. */
import { numberAllChanges } from '../../domain/changes/number-changes.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { advanceJob } from '../../domain/jobs/apply-chunks.js';
import { overdueEntries, stuckJobs } from '../../domain/jobs/reconcile/lost-steps.js';
import { releaseLost } from '../../domain/jobs/reconcile/orders.js';
import { OverdueDeliveries } from '../../domain/webhooks/overdue-deliveries.js';
import { OverdueFanOuts } from '../../domain/webhooks/overdue-fan-outs.js';
import { releaseAllCollected } from '../../domain/webhooks/release-collected.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import { reconcileDeliveries } from './reconcile/deliveries.js';
import { reconcileFanOuts } from './reconcile/fan-outs.js';
import { reconcileOrder } from './reconcile/order.js';
import type { Run } from './reconcile/run.js';
import { rescueLost } from './reconcile/steps.js';

/**
 * Runs the reconciler once.
 * @param deliveries where the previous run of this process stopped
 * @param fanOuts the same of fan-outs
 * @param progress is called whenever the queue or the database has answered
 * @returns how many outbox entries the queue had lost
 */
export async function reconcile(
  services: WorkerServices,
  deliveries = new OverdueDeliveries(),
  fanOuts = new OverdueFanOuts(),
  progress: () => void = () => undefined,
): Promise<number> {
  const { db, config } = services;
  const run: Run = { ...services, progress };
  const rescued = await rescueLost(run, await overdueEntries(db, config.reconcileGraceMs));
  for (const jobId of await stuckJobs(db)) {
    progress();
    await send(services, await advanceJob(db, jobId));
  }
  progress();
  await send(services, await releaseLost(db, JOB_TYPES));
  progress();
  await send(services, await releaseAllCollected(db));
  progress();
  await numberAllChanges(db, progress);
  const planned = await reconcileOrder(run);
  progress();
  const fannedOut = await reconcileFanOuts(run, fanOuts);
  return rescued + planned + fannedOut + (await reconcileDeliveries(run, deliveries));
}
