/** Makes the queue consistent with the database: enqueues what is committed and due, but is not on the queue. */
import { numberAllChanges } from '../../domain/changes/number-changes.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { reconcileOrder } from '../../domain/jobs/reconcile/reconcile-order.js';
import { reconcileSteps } from '../../domain/jobs/reconcile/reconcile-steps.js';
import { OverdueDeliveries } from '../../domain/webhooks/overdue-deliveries.js';
import { OverdueFanOuts } from '../../domain/webhooks/overdue-fan-outs.js';
import { releaseAllCollected } from '../../domain/webhooks/release-collected.js';
import { planBatch } from '../../queues/contracts/plan-batch.js';
import { isEntryPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';
import { reconcileDeliveries } from './reconcile/deliveries.js';
import { reconcileFanOuts } from './reconcile/fan-outs.js';
import type { Run } from './reconcile/run.js';

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
  const { db, config, producer } = services;
  const run: Run = { ...services, progress };
  const queue: Parameters<typeof reconcileSteps>[0] = {
    ...run,
    isPending: (entry) => isEntryPending(producer, entry),
    oldestOfSmallJobs: () => producer.oldestPending(planBatch),
    send: (entries) => send(services, entries),
  };
  const rescued = await reconcileSteps(queue, JOB_TYPES, config.reconcileGraceMs);
  progress();
  await send(services, await releaseAllCollected(db));
  progress();
  await numberAllChanges(db, progress);
  const planned = await reconcileOrder(queue, config.reconcileGraceMs);
  progress();
  const fannedOut = await reconcileFanOuts(run, fanOuts);
  return rescued + planned + fannedOut + (await reconcileDeliveries(run, deliveries));
}
