/** What the operators' pages read of all accounts. */

import { endpointsOf, sickEndpoints } from '../../../src/operator/read/endpoints.js';
import { findJobs } from '../../../src/operator/read/find-jobs.js';
import { findSku } from '../../../src/operator/read/find-sku.js';
import { jobDetails } from '../../../src/operator/read/job-details.js';
import { failedByReason, longestWaiting } from '../../../src/operator/read/now.js';
import { laidId } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, BUSY_SITE, EMITTING_SITE, type HotWork } from './hot-work.js';

const NEWEST = { direction: 'newest', after: null, until: new Date('2100-01-01'), limit: 50 } as const;
const OLDEST = { ...NEWEST, direction: 'oldest' } as const;

export const OPERATING: readonly HotWork[] = [
  // A few for each site that has jobs.
  { does: 'shows operators what waits longest', within: 60_000, run: (trx) => longestWaiting(trx) },
  { does: 'shows operators what has failed', within: 20, run: (trx) => failedByReason(trx) },
  { does: 'shows operators which endpoints do not work', within: 60, run: (trx) => sickEndpoints(trx) },
  {
    does: 'shows operators the endpoints of an account',
    // For each of 50 definitions, which `endpointStates` counts.
    within: 8_000,
    withinDead: 20_000,
    run: (trx, laid) => endpointsOf(trx, [accountOf(laid, EMITTING_SITE)]),
  },
  { does: 'shows operators the newest jobs', within: 400, withinDead: 5_000, run: (trx) => findJobs(trx, {}, NEWEST) },
  {
    does: 'shows operators the newest jobs of an account',
    within: 400,
    withinDead: 1_000,
    run: (trx, laid) => findJobs(trx, { account: accountOf(laid, BUSY_SITE) }, NEWEST),
  },
  { does: 'finds failed jobs for an action', within: 20, run: (trx) => findJobs(trx, { status: 'FAILED' }, OLDEST) },
  {
    does: 'finds a job by its file for operators',
    within: 60,
    run: (trx) => findJobs(trx, { file: 'no.csv' }, NEWEST),
  },
  {
    does: 'shows operators a job',
    within: 60,
    run: (trx, laid) => jobDetails(trx, laidId(laid, 'ended', 1)),
  },
  {
    does: 'finds a SKU for operators',
    within: 10_000,
    withinDead: 60_000,
    run: (trx) => findSku(trx, 'none', undefined),
  },
];
