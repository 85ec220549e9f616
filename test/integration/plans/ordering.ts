/** Who of a site may begin: asked when a job begins, ends, is accepted behind others, and by the reconciler. */

import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { IMPORT_HOOKS } from '../../../src/domain/imports/import-hooks.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import { acceptJob } from '../../../src/domain/jobs/accept-job.js';
import { beginAlone } from '../../../src/domain/jobs/begin-alone.js';
import { lockJobStep } from '../../../src/domain/jobs/job-steps.js';
import { loadFronts } from '../../../src/domain/jobs/order/reconciled-fronts.js';
import { sweep } from '../../../src/domain/jobs/order/sweep.js';
import { dispatchSingly } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, BUSY_SITE, EMITTING_SITE, type HotWork, LISTENED_SITE } from './hot-work.js';

export const ORDERING: readonly HotWork[] = [
  { does: 'accepts a request behind all that waits', within: 40, run: (trx, laid) => accept(trx, laid, BUSY_SITE) },
  { does: 'holds a job that others are ahead of', within: 40, run: holdBehind },
  { does: 'releases the first of all that waits', within: 20, run: releaseFirst },
  { does: 'finds nothing to release', within: 20, run: (trx) => releaseDue(trx, [EMITTING_SITE]) },
  {
    does: 'looks at the fronts of three sites',
    within: 60,
    run: (trx) => releaseDue(trx, [BUSY_SITE, LISTENED_SITE, EMITTING_SITE]),
  },
  { does: 'locks a plan step', within: 20, run: lockFirst },
  { does: 'takes a late small job out of its batch', within: 120, run: takeOut },
  { does: 'sweeps the order of a site', within: 120, run: (trx) => sweep(trx, [BUSY_SITE]) },
  {
    does: 'looks at the fronts of 20 sites',
    // It finds the sites by the heads of their orders, where what was swept away lies until it is vacuumed.
    within: 3_000,
    withinDead: 15_000,
    run: (trx) => loadFronts(trx, 0, 20, 1_000),
  },
];

/** @returns its id */
async function accept(trx: Knex.Transaction, laid: Laid, siteId: number): Promise<string> {
  const options = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
  const owner = { siteId, accountId: accountOf(laid, siteId), channel: null, requestId: 'test' };
  const job = { id: newId(), ...owner, jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT', options } as const;
  await acceptJob(trx, job, { kind: 'rows', lines: Buffer.from('{"sku":"a"}'), rowCount: 1 });
  return job.id;
}

async function holdBehind(trx: Knex.Transaction, laid: Laid): Promise<void> {
  await accept(trx, laid, EMITTING_SITE);
  const jobId = await accept(trx, laid, EMITTING_SITE);
  const begun = await beginAlone(trx, { jobId, dispatch: 1 }, IMPORT_HOOKS);
  assert.equal(begun.kind, 'held');
}

/** Everything of the busy site waits, but for its last job, which is being applied: as if it had just ended. */
async function releaseFirst(trx: Knex.Transaction, laid: Laid): Promise<void> {
  await trx.raw(
    "UPDATE job_order SET state = 'e' FROM job WHERE job.id = ? AND job_order.site_id = job.site_id AND position = line_no",
    [laidId(laid, 'applying', BUSY_SITE)],
  );
  assert.equal((await releaseDue(trx, [BUSY_SITE])).length, 1);
}

async function lockFirst(trx: Knex.Transaction, laid: Laid): Promise<void> {
  assert.ok(await lockJobStep(trx, { jobId: laidId(laid, 'waiting', 2), dispatch: 1 }, 'plan'));
}

async function takeOut(trx: Knex.Transaction, laid: Laid): Promise<void> {
  const jobId = await accept(trx, laid, EMITTING_SITE);
  await trx('job_order').where({ site_id: EMITTING_SITE, job_id: jobId }).update({ state: 'q', batchable: true });
  assert.equal((await dispatchSingly(trx, [{ jobId, dispatch: 1 }])).length, 1);
}
