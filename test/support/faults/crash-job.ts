/** Carries out a job by a worker that loses the database at some message, and leaves the rest to the other workers. */
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import type { World } from '../worlds/world.js';
import { runDoomed, untilDoomedIsGone } from './doomed-worker.js';

/** @param steps the steps of a job of which the queue has not heard */
export async function crashJob(
  world: World,
  steps: readonly OutboxEntry[],
  cut: Parameters<typeof runDoomed>[2],
): Promise<void> {
  await runDoomed(world.services, steps, cut);
  await untilDoomedIsGone(world.db);
  await rescueLost(world);
}

/**
 * What the reconciler does every second. It looks at the first jobs of each site only: one that was lost behind several others
 * is rescued when these have ended.
 */
export async function rescueLost(world: World): Promise<void> {
  const config = { ...world.services.config, reconcileGraceMs: 0 };
  await reconcile({ ...world.services, config });
}
