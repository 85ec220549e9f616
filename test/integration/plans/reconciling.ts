/** Finding what should be on the queue and may not be, and taking up the exports that wait. */

import { hasRoom, presentEntries, releaseHeld } from '../../../src/domain/jobs/job-steps.js';
import { noteSeen, overdueEntries, redispatchLost, stuckJobs } from '../../../src/domain/jobs/reconcile-jobs.js';
import {
  noteDeliveriesSeen,
  overdueDeliveries,
  overdueFanOuts,
  redispatchDeliveries,
  redispatchFanOut,
} from '../../../src/domain/webhooks/redispatch.js';
import { type Laid, laidDeliveries, laidId } from '../../support/worlds/plans/laid-ids.js';
import { chunkOf } from './chunks.js';
import { BUSY_SITE, type HotWork } from './hot-work.js';

const GRACE_MS = 60_000;
const EXPORTS = { step: 'export', size: 2 } as const;

export const RECONCILING: readonly HotWork[] = [
  { does: 'finds jobs whose chunks are done', within: 1_200, withinDead: 3_000, run: (trx) => stuckJobs(trx) },
  {
    does: 'finds what of a job should be on the queue',
    within: 20,
    run: (trx, laid) => presentEntries(trx, jobOf(laid, 1)),
  },
  {
    does: 'finds overdue steps and chunks',
    within: 200,
    withinDead: 4_500,
    run: (trx) => overdueEntries(trx, GRACE_MS),
  },
  { does: 'notes that the queue has a chunk', within: 40, run: (trx, laid) => noteSeen(trx, [lostChunk(laid)]) },
  { does: 'dispatches a lost chunk anew', within: 40, run: (trx, laid) => redispatchLost(trx, lostChunk(laid)) },
  {
    does: 'looks for room for an export',
    within: 10,
    withinDead: 250,
    run: (trx, laid) => hasRoom(trx, EXPORTS, BUSY_SITE, laidId(laid, 'export', 0)),
  },
  {
    does: 'releases the exports of a site',
    within: 60,
    withinDead: 500,
    run: (trx) => releaseHeld(trx, EXPORTS, BUSY_SITE),
  },
  {
    does: 'releases the exports of all sites',
    within: 80,
    withinDead: 3_000,
    run: (trx) => releaseHeld(trx, EXPORTS, null),
  },
  { does: 'finds overdue fan-outs', within: 10, withinDead: 1_500, run: (trx) => overdueFanOuts(trx, GRACE_MS) },
  { does: 'dispatches a lost fan-out anew', within: 30, run: (trx, laid) => redispatchFanOut(trx, lostFanOut(laid)) },
  {
    does: 'finds 100 overdue deliveries',
    within: 120,
    withinDead: 4_000,
    run: (trx) => overdueDeliveries(trx, GRACE_MS, 100),
  },
  {
    does: 'notes that the queue has 50 deliveries',
    within: 1_800,
    run: (trx, laid) => noteDeliveriesSeen(trx, overdue(laid)),
  },
  {
    does: 'dispatches 50 lost deliveries anew',
    within: 2_000,
    run: (trx, laid) => redispatchDeliveries(trx, overdue(laid)),
  },
];

function jobOf(laid: Laid, site: number): string {
  return laidId(laid, 'applying', site);
}

function lostChunk(laid: Laid) {
  return { queue: 'apply', payload: chunkOf(laid) } as const;
}

function lostFanOut(laid: Laid) {
  return { queue: 'fan-out', payload: { eventId: laidId(laid, 'fanOut', 1), dispatch: 1 } } as const;
}

function overdue(laid: Laid) {
  return laidDeliveries(laid, 1).map((id) => ({ id, lane: 'first', dispatch: 1 }) as const);
}
