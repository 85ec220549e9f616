/** Enqueues plan steps again that the queue has lost, releases what was not, and sweeps the order of the sites. */
import { placeJob, unplacedJobs } from '../../domain/jobs/accept-job.js';
import { noteSeen, redispatchLost } from '../../domain/jobs/lost-dispatches.js';
import { loadFronts, releaseDue, removeEnded, type SiteFront, sweep } from '../../domain/jobs/site-order.js';
import { dueOf } from '../../domain/jobs/turns.js';
import { isDispatchPending, type JobDispatch } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** Sites a statement. */
const SITES = 500;
/** Jobs without a place that one pass gives theirs. */
const UNPLACED = 500;

/**
 * One pass over all sites that have jobs. Of each only the front is looked at: whatever waits behind it is enqueued
 * when its turn comes.
 * @returns how many plan steps had been lost
 */
export async function reconcileOrder(services: WorkerServices): Promise<number> {
  const { db, config } = services;
  for (const jobId of await unplacedJobs(db, null, UNPLACED)) {
    await send(services, (await placeJob(db, jobId)).dispatches);
  }
  let rescued = 0;
  for (let after = 0; ; ) {
    const sites = await loadFronts(db, after, SITES, config.reconcileGraceMs);
    for (const site of sites) rescued += await reconcileSite(services, site);
    const last = sites.at(-1);
    if (last === undefined) return rescued;
    const siteIds = sites.map(({ siteId }) => siteId);
    await sweep(db, siteIds);
    if (sites.length < SITES) return rescued;
    after = last.siteId;
  }
}

async function reconcileSite(services: WorkerServices, { siteId, front }: SiteFront): Promise<number> {
  const { db, producer, logger } = services;
  const ended = front.filter(({ hasEnded }) => hasEnded);
  if (ended.length > 0) {
    const positions = ended.map(({ position }) => position);
    await removeEnded(db, siteId, positions);
  }
  if (ended.length > 0 || dueOf(front).length > 0) await send(services, await releaseDue(db, siteId));
  let rescued = 0;
  const seen: JobDispatch[] = [];
  for (const { jobId, dispatch, state, overdue, inPlan, hasEnded } of front) {
    if (!overdue || !inPlan || hasEnded || state === 'h') continue;
    const step: JobDispatch = { queue: 'plan', payload: { jobId, dispatch } };
    if (await isDispatchPending(producer, step)) {
      seen.push(step);
      continue;
    }
    const again = await redispatchLost(db, step);
    if (again === null) continue;
    rescued++;
    logger.info({ ...step.payload, queue: 'plan' }, 'the queue had lost a dispatch; enqueued it again');
    await send(services, [again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}
