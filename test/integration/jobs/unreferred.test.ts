/** Jobs that nothing refers to: they are found, repaired where that is possible, and reported where it is not. */
import assert from 'node:assert/strict';
import { UnreferredJobs } from '../../../src/domain/jobs/reconcile/unreferred-jobs.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { rescueUnreferred } from '../../../src/workers/maintenance/rescue-unreferred.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

describe('jobs that nothing refers to', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ environment: { RECONCILE_MS: '100' } });
    const workers = await world.startWorkers({}, BULK_ONLY);
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.db('job').delete();
    await world.db('job_order').delete();
  });

  /** What was committed a moment ago counts as overdue. */
  const impatient = () => ({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
  const rowOf = (id: string) => world.db('job').where({ id }).first();

  /** Accepts a job as the releases before the table job_order did it: its place is only in its own row. */
  async function acceptedByOlder(sku: string, isParked: boolean): Promise<string> {
    const { jobId } = await world.acceptRows(shop, 'upsert', [item(sku)]);
    await world.db('job_order').where({ job_id: jobId }).delete();
    if (!isParked) await world.db('job').where({ id: jobId }).update({ dispatch: 1, dispatched_at: new Date() });
    return jobId;
  }

  it('are executed, in their order, when a web process of a release before the table job_order has accepted them', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 6; number++) ids.push(await acceptedByOlder('same', number % 2 === 1));
    const workers = await world.startWorkers();
    for (const id of ids) {
      await until(`job ${id} has ended`, async () => (await rowOf(id)).completed_at !== null, 20_000);
      assert.equal((await rowOf(id)).status, 'COMPLETED');
    }
    const order = await world.db('job').whereIn('id', ids).orderBy('line_no').pluck('id');
    assert.deepEqual(order, ids);
    await workers.stop();
  });

  it('get a place when theirs has ended, or is behind the floor of their site', async () => {
    const ended = await world.acceptRows(shop, 'upsert', [item('a')]);
    await world.db('job_order').where({ job_id: ended.jobId }).update({ state: 'e' });
    const passed = await world.acceptRows(shop, 'upsert', [item('b')]);
    const { line_no } = await rowOf(passed.jobId);
    await world
      .db('job_order_floor')
      .insert({ site_id: shop.siteId, floor: line_no + 1, swept: line_no + 1 })
      .onConflict('site_id')
      .merge();
    assert.equal(await rescueUnreferred(impatient(), new UnreferredJobs()), 2);
    const jobs = new UnreferredJobs();
    assert.equal(await rescueUnreferred(impatient(), jobs), 0, 'each of them has a place');
    const places = await world.db('job_order').whereNot({ state: 'e' }).orderBy('position').pluck('job_id');
    assert.deepEqual(places, [ended.jobId, passed.jobId]);
  });

  it('continue when their last step is not due at any time, or their upload was not noticed', async () => {
    const finishing = await world.acceptRows(shop, 'upsert', [item('a')]);
    await world.db('job').where({ id: finishing.jobId }).update({ step: 'finish', dispatched_at: null });
    const uploaded = await world.acceptFile(shop, 'a.csv', 'SKU,Category Node,Title\nx,Disk,T\n');
    await world.db('job_order').where({ job_id: uploaded.jobId }).delete();
    await world
      .db('job')
      .where({ id: uploaded.jobId })
      .update({ status: 'AWAITING_UPLOAD', step: null, line_no: null });
    assert.equal(await rescueUnreferred(impatient(), new UnreferredJobs()), 2);
    assert.notEqual((await rowOf(finishing.jobId)).dispatched_at, null);
    assert.notEqual((await rowOf(uploaded.jobId)).line_no, null);
  });

  it('are reported once when nobody knows what they need, and readiness says so', async () => {
    const { jobId } = await world.acceptRows(shop, 'upsert', [item('a')]);
    await world.db('job').where({ id: jobId }).update({ step: null });
    const jobs = new UnreferredJobs();
    assert.deepEqual((await jobs.next(world.db, 0)).reported, [jobId]);
    assert.deepEqual((await jobs.next(world.db, 0)).reported, []);
    assert.deepEqual(jobs.left, [jobId]);
    const workers = await world.startWorkers({ config: impatient().config });
    await until(
      'readiness says so',
      async () => {
        const ready = await (await world.api.fetch('/readyz')).text();
        return /1 job has not ended, and nothing refers to it/.test(ready);
      },
      20_000,
    );
    await workers.stop();
    await world.db('job').where({ id: jobId }).update({ completed_at: new Date() });
    await jobs.next(world.db, 0);
    assert.deepEqual(jobs.left, [], 'it has ended');
  });

  it('are none of those that wait, run, are held, or wait for their upload', async () => {
    for (let number = 0; number < 12; number++) await world.acceptRows(shop, 'upsert', [item(`w${number}`)]);
    await world.acceptFile(shop, 'a.csv', 'SKU,Category Node,Title\nx,Disk,T\n');
    await world.db('job_order').update({ state: 'h' });
    await reconcile(impatient());
    const { repairable, reported } = await new UnreferredJobs().next(world.db, 0);
    assert.deepEqual([repairable, reported], [[], []]);
  });

  it('are left to a newer release when the database is newer than this one', async () => {
    const id = await acceptedByOlder('n', false);
    await world
      .db('schema_migration')
      .insert({ name: '29990101000000_later.js', batch: 99, migration_time: new Date() });
    try {
      assert.equal(await rescueUnreferred(impatient(), new UnreferredJobs()), 0);
    } finally {
      await world.db('schema_migration').where({ name: '29990101000000_later.js' }).delete();
    }
    assert.equal(await rescueUnreferred(impatient(), new UnreferredJobs()), 1);
    assert.equal((await rowOf(id)).step, 'plan');
  });

  it('are found behind any number of jobs, a page at a time', async () => {
    const lost = await acceptedByOlder('deep', false);
    // Younger jobs by their ids, which have ended: more than two pages.
    await world.db.raw(
      `INSERT INTO job (id, site_id, account_id, type, kind, status, options, shared, completed_at, updated_at)
       SELECT lpad(to_hex(extract(epoch FROM now())::bigint - 1), 8, '0') || lpad(to_hex(number), 16, '0'), site_id,
         account_id, type, kind, 'COMPLETED', options, shared, now(), now()
       FROM job, generate_series(1, 1200) AS number WHERE id = ?`,
      [lost],
    );
    const old = `00000001${newId().slice(8)}`;
    await world.db('job_chunk').where({ job_id: lost }).delete();
    await world.db('job').where({ id: lost }).update({ id: old });
    const jobs = new UnreferredJobs();
    const found: string[] = [];
    for (let pass = 0; pass < 4; pass++) {
      const { repairable } = await jobs.next(world.db, 0);
      found.push(...repairable.map(({ id }) => id));
    }
    assert.deepEqual(found, [old], 'once in a round of three pages');
  });
});

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: sku } };
}
