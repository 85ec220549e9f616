/** Finding what should be on the queue and may not be, and taking up the exports that wait. */

import { measureQuotas } from '../../../src/domain/access/quota-use.js';
import { lookForUploads } from '../../../src/domain/files/direct-uploads.js';
import { presentEntries } from '../../../src/domain/jobs/present-entries.js';
import {
  noteSeen,
  overdueEntries,
  redispatchLost,
  stuckJobs,
} from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import { deleteJobs } from '../../../src/domain/jobs/reconcile/prune/old-jobs.js';
import { hasRoom, releaseHeld } from '../../../src/domain/jobs/single-step/site-window.js';
import { OverdueDeliveries } from '../../../src/domain/webhooks/overdue-deliveries.js';
import { OverdueFanOuts, redispatchFanOut } from '../../../src/domain/webhooks/overdue-fan-outs.js';
import { redispatchDeliveries } from '../../../src/domain/webhooks/redispatch.js';
import { endCollecting, releaseAllCollected } from '../../../src/domain/webhooks/release-collected.js';
import { countWork } from '../../../src/workers/maintenance/measure/count-work.js';
import { DEFINITIONS_A_SITE } from '../../support/worlds/plans/laid-deliveries.js';
import { type Laid, laidDeliveries, laidId } from '../../support/worlds/plans/laid-ids.js';
import { chunkOf } from './chunks.js';
import { BUSY_SITE, EMITTING_SITE, type HotWork } from './hot-work.js';

const GRACE_MS = 60_000;
const EXPORTS = { steps: ['export'], siteWindow: 2 } as const;

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
  { does: 'counts what waits, for the metrics', within: 12_000, run: (trx) => countWork(trx) },
  { does: 'finds the few accounts with quotas, for the metrics', within: 20, run: (trx) => measureQuotas(trx) },
  { does: 'looks for what disabled definitions have collected', within: 20, run: (trx) => releaseAllCollected(trx) },
  {
    does: 'looks for uploads to the store itself',
    within: 20,
    run: (trx, _laid, fileStore) => lookForUploads({ db: trx, fileStore }, 1024),
  },
  { does: 'ends the time of collecting', within: 20, run: (trx) => endCollecting(trx) },
  { does: 'notes that the queue has a chunk', within: 40, run: (trx, laid) => noteSeen(trx, [lostChunk(laid)]) },
  { does: 'dispatches a lost chunk anew', within: 40, run: (trx, laid) => redispatchLost(trx, lostChunk(laid)) },
  {
    does: 'looks for room for an export',
    within: 10,
    withinDead: 250,
    run: (trx, laid) => hasRoom(trx, { step: 'export', size: 2, of: 'site' }, BUSY_SITE, laidId(laid, 'export', 0)),
  },
  {
    does: 'releases the exports of a site',
    within: 60,
    withinDead: 500,
    run: (trx) => releaseHeld(trx, EXPORTS, BUSY_SITE),
  },
  {
    does: 'releases the exports of all sites',
    within: 150,
    withinDead: 3_000,
    run: (trx) => releaseHeld(trx, EXPORTS, null),
  },
  {
    does: 'finds overdue fan-outs',
    // The rows of one index range are sorted by id as well: a session reads the catalog for that once.
    within: 20,
    withinDead: 1_500,
    run: (trx) => new OverdueFanOuts().read(trx, GRACE_MS),
  },
  { does: 'dispatches a lost fan-out anew', within: 30, run: (trx, laid) => redispatchFanOut(trx, lostFanOut(laid)) },
  {
    does: 'finds 100 endpoints with overdue deliveries',
    within: 1_000,
    withinDead: 60_000,
    run: (trx) => new OverdueDeliveries().nextEndpoints(trx, GRACE_MS),
  },
  {
    does: 'reads an overdue delivery of each of 50 endpoints',
    within: 600,
    withinDead: 25_000,
    run: (trx, laid) => new OverdueDeliveries().read(trx, GRACE_MS, endpointsOf(laid), 50),
  },
  {
    does: 'reads on in the overdue deliveries of two endpoints',
    within: 150,
    withinDead: 1_000,
    run: async (trx, laid) => {
      const overdue = new OverdueDeliveries();
      const endpoints = [...endpointsOf(laid).slice(0, 1), null];
      for (let twice = 0; twice < 2; twice++) await overdue.read(trx, GRACE_MS, endpoints, 20);
    },
  },
  {
    does: 'dispatches 50 lost deliveries anew',
    within: 2_000,
    run: (trx, laid) => redispatchDeliveries(trx, overdue(laid)),
  },
  {
    // A foreign key that no index serves would read all jobs for each row of a file.
    does: 'deletes the row of a file',
    within: 60,
    run: async (trx, laid) => {
      const file = { site_id: BUSY_SITE, type: 'ITEM_IMPORT', name: 'old.csv', status: 'DELETED' };
      const id = laidId(laid, 'file', laid.sites + 1);
      await trx('file').insert({ ...file, id });
      await deleteJobs(trx, [], [id]);
    },
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

/** The definitions of one site. */
function endpointsOf(laid: Laid): string[] {
  const first = EMITTING_SITE * DEFINITIONS_A_SITE;
  return Array.from({ length: DEFINITIONS_A_SITE }, (_, nth) => laidId(laid, 'definition', first + nth));
}

function overdue(laid: Laid) {
  return laidDeliveries(laid, 1).map((id) => ({ id, lane: 'first', dispatch: 1 }) as const);
}
