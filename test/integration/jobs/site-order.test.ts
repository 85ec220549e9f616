/** The table that holds the order of a site's jobs: what is held, released, swept and put right. */
import assert from 'node:assert/strict';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { followEnd } from '../../../src/domain/jobs/follow-end.js';
import { sweep } from '../../../src/domain/jobs/order/sweep.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import type { Shop } from '../../support/http/shop.js';
import { placeOf } from '../../support/worlds/place-of.js';
import { type Accepted, startWorld, type World } from '../../support/worlds/world.js';

describe('the order of a site', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  it('gives positions in the order of commits, so that whoever sees one sees all before it', async () => {
    const seen: number[][] = [];
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await world.acceptRows(shop, 'insert', [item(`s${index}`)]);
        seen.push(await positions());
      }),
    );
    const all = await positions();
    for (const some of seen) assert.deepEqual(some, all.slice(0, some.length));
  });

  it('holds what is accepted behind many that wait, and enqueues it when its turn comes', async () => {
    const jobs: Accepted[] = [];
    const rows = Array.from({ length: 101 }, (_, row) => item(`a${row}`));
    for (let job = 0; job < 12; job++) jobs.push(await world.acceptRows(shop, 'upsert', rows));
    assert.deepEqual(
      jobs.map(({ outboxEntries }) => outboxEntries.length),
      [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
    );
    for (const { jobId } of jobs.slice(0, 8)) await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
    const [released, ...others] = await releaseDue(world.db, [shop.siteId]);
    assert.deepEqual(others, [], 'upserts run alone');
    assert.deepEqual(released, { queue: 'plan', payload: { jobId: jobs[8]?.jobId, dispatch: 2 } });
    assert.deepEqual(await releaseDue(world.db, [shop.siteId]), [], 'it is released once');
  });

  it('enqueues one small job for all that wait directly behind it', async () => {
    const jobs: Accepted[] = [];
    for (let job = 0; job < 6; job++) jobs.push(await world.acceptRows(shop, 'insert', [item(`a${job}`)]));
    assert.deepEqual(
      jobs.map(({ outboxEntries }) => outboxEntries.length),
      [1, 0, 0, 0, 0, 0],
    );
    assert.deepEqual(await releaseDue(world.db, [shop.siteId]), [], 'the batch of the first executes them');
    await cancelJob(world.db, JOB_TYPES, shop.siteId, jobs[0]?.jobId ?? '');
    const released = await releaseDue(world.db, [shop.siteId]);
    assert.deepEqual(released, [{ queue: 'plan-batch', payload: { steps: [{ jobId: jobs[1]?.jobId, dispatch: 2 }] } }]);
  });

  it('sweeps away what has ended, and finds what has not behind it', async () => {
    const jobs: Accepted[] = [];
    for (let job = 0; job < 30; job++) jobs.push(await world.acceptRows(shop, 'upsert', [item('a')]));
    for (const { jobId } of jobs.slice(0, 25)) await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
    await sweep(world.db, [shop.siteId]);
    const floor = await floorOf();
    assert.equal(floor.floor, (await placeOf(world.db, jobs[25]?.jobId ?? '')).position);
    const left = await positions();
    assert.equal(left.length, 8, 'the newest stay, for acceptance looks at them');
    assert.equal((await releaseDue(world.db, [shop.siteId])).length, 1);
    for (const { jobId } of jobs.slice(25)) await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
    await world.db('job_order').update({ dispatched_at: world.db.raw("now() - interval '1 hour'") });
    await sweep(world.db, [shop.siteId]);
    assert.deepEqual(await positions(), [], 'a site that is not in use keeps none');
    const { jobId } = await world.acceptRows(shop, 'upsert', [item('a')]);
    assert.ok((await placeOf(world.db, jobId)).position >= (await floorOf()).floor);
  });

  it('sweeps what ended beside a job that still runs', async () => {
    const long = await world.acceptRows(shop, 'insert', [item('a')]);
    const jobs: Accepted[] = [];
    for (let job = 0; job < 20; job++) jobs.push(await world.acceptRows(shop, 'insert', [item('a')]));
    for (const { jobId } of jobs) await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
    await sweep(world.db, [shop.siteId]);
    const { position } = await placeOf(world.db, long.jobId);
    assert.equal((await floorOf()).floor, position);
    assert.equal((await positions()).length, 9);
    await cancelJob(world.db, JOB_TYPES, shop.siteId, long.jobId);
    await world.db('job_order').update({ dispatched_at: world.db.raw("now() - interval '1 hour'") });
    await sweep(world.db, [shop.siteId]);
    assert.deepEqual(await positions(), []);
  });

  it('sweeps by the ends of jobs themselves', async () => {
    for (let job = 0; job < 300; job++) {
      const { jobId } = await world.acceptRows(shop, 'upsert', [item('a')]);
      await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
      await followEnd(world.db, JOB_TYPES, jobId);
    }
    assert.ok((await positions()).length < 300);
  });

  it('takes a job out of the order whose end was recorded by the release before it', async () => {
    const old = await world.acceptRows(shop, 'upsert', [item('a')]);
    const next = await world.acceptRows(shop, 'upsert', [item('b')]);
    await world.db('job_order').where({ job_id: next.jobId }).update({ state: 'h' });
    await world
      .db('job')
      .where({ id: old.jobId })
      .update({ status: 'COMPLETED', completed_at: new Date(), step: null });
    await reconcile(world.services);
    assert.equal((await placeOf(world.db, old.jobId)).state, 'e');
    assert.deepEqual(
      [(await placeOf(world.db, next.jobId)).state, (await placeOf(world.db, next.jobId)).dispatch],
      ['q', 2],
    );
  });

  async function positions(): Promise<number[]> {
    const rows: { position: number }[] = await world
      .db('job_order')
      .where({ site_id: shop.siteId })
      .orderBy('position')
      .select('position');
    return rows.map(({ position }) => position);
  }

  const floorOf = () => world.db('job_order_floor').where({ site_id: shop.siteId }).first();
});

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T' } };
}
