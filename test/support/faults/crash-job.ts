/** Carries out a job by a worker that loses the database at some message, and leaves the rest to the other workers. */
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { until } from '../until.js';
import type { World } from '../worlds/world.js';
import { DOOMED, runDoomed } from './doomed-worker.js';

const WITHIN_MS = 30_000;

/** @param steps the steps of a job of which the queue has not heard */
export async function crashJob(
  world: World,
  steps: readonly OutboxEntry[],
  cut: Parameters<typeof runDoomed>[2],
): Promise<void> {
  await runDoomed(world.services, steps, cut);
  // Postgres notices a lost connection a moment later; until then its transaction holds what it has locked.
  const left = async () => (await world.db('pg_stat_activity').where({ application_name: DOOMED })).length;
  await until('the killed worker has no connection left', async () => (await left()) === 0, WITHIN_MS);
  const config = { ...world.services.config, reconcileGraceMs: 0 };
  await reconcile({ ...world.services, config });
}
