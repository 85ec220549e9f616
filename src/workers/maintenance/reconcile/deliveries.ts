/** Enqueues deliveries again that the queue has lost. */

import type { OverdueDeliveries } from '../../../domain/webhooks/overdue-deliveries.js';
import { entryOf, redispatchDeliveries } from '../../../domain/webhooks/redispatch.js';
import { send } from '../../after-step.js';
import { lostOf } from './lost-entries.js';
import type { Run } from './run.js';

/** The size of the first sample: for a backlog that the queue still has, few entries are checked. */
const SAMPLE = 100;
/** The size of further batches: when some of a sample were lost, all deliveries of its endpoint may be. */
const BATCH = 2_000;
const MOST_BATCHES = 10;
/** After a page of endpoints that had lost some, the next page is checked in the same pass: all may have lost theirs. */
const MOST_PAGES = 100;
/** A pass ends after so many: it has other work to do. */
const ENOUGH_RESCUED = 20_000;

/** Enqueues deliveries again that the queue has lost. @returns how many */
export async function reconcileDeliveries(services: Run, overdue: OverdueDeliveries): Promise<number> {
  let rescued = 0;
  for (let page = 0; page < MOST_PAGES && rescued < ENOUGH_RESCUED; page++) {
    const lost = await reconcilePage(services, overdue);
    services.progress();
    rescued += lost;
    if (lost === 0) break;
  }
  if (rescued > 0) services.logger.info({ count: rescued }, 'the queue had lost deliveries; enqueued them again');
  services.metrics?.rescued('delivery', rescued);
  return rescued;
}

/** Checks the deliveries of the next endpoints. @returns how many were lost and are enqueued again */
async function reconcilePage(services: Run, overdue: OverdueDeliveries): Promise<number> {
  const { db, config } = services;
  let rescued = 0;
  let endpoints = await overdue.nextEndpoints(db, config.reconcileGraceMs);
  for (let batch = 0, most = SAMPLE; batch < MOST_BATCHES && endpoints.length > 0; batch++, most = BATCH) {
    const checked = await overdue.read(db, config.reconcileGraceMs, endpoints, most);
    const lost = await lostOf(services, checked, entryOf);
    const again = await redispatchDeliveries(db, lost);
    await send(services, again);
    rescued += again.length;
    endpoints = [...new Set(lost.map(({ endpoint }) => endpoint))].filter((endpoint) => overdue.hasMore(endpoint));
  }
  return rescued;
}
