/** What an export was asked for, as its job shows it. */
import assert from 'node:assert/strict';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('what an export was asked for', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(() => world.stop());

  const jobOf = async (path: string, body: object, context: CallOptions['context'] = {}) => {
    const accepted = await shop.call('POST', `/jobs/${path}`, { body, context });
    assert.equal(accepted.status, 202, accepted.text);
    return (await shop.call('GET', `/jobs/${accepted.body.jobId}`)).body;
  };

  it('is shown by its job, without the address that is called', async () => {
    const match = {
      status: 'LIVE',
      q: 'tent',
      properties: [{ name: 'Title', op: 'CONTAINS', value: 'x' }],
      updatedAt: { op: 'GTE', value: '2026-01-31' },
    };
    const columns = ['SKU', 'Title'];
    const callbackUrl = 'https://shop.example.com/called?secret=s3cret';
    const body = { match, columns, format: 'XLSX', callbackUrl };
    const job = await jobOf('product/actions/filter-export', body);
    assert.deepEqual(job.request, { match, columns });
    assert.equal(job.options.format, 'XLSX');
    assert.doesNotMatch(JSON.stringify(job), /s3cret/);
    const since = { time: new Date().toISOString() };
    const again = await jobOf('product/actions/filter-export', { match: job.request.match, since });
    assert.deepEqual(again.request, { match, since });
    const { body: list } = await shop.call('GET', '/jobs/product?type=ITEM_EXPORT');
    assert.deepEqual(list.data[0].request, again.request);
  });

  it('says which part of the stage it was asked for', async () => {
    const context = { channel: 3, date: '2026-01-31T12:00:00.000Z' };
    const { request } = await jobOf('product/actions/filter-export', { match: { status: 'LIVE' } }, context);
    assert.deepEqual(request, { match: { status: 'LIVE' }, ...context });
  });

  it('says how many records were named, and nothing of a stage, of other jobs, and of thousands of conditions', async () => {
    const named = await jobOf('product/actions/export', { skus: ['a', 'b', 'b'] });
    assert.deepEqual(named.request, { named: 2 });
    const categories = await jobOf('category/actions/filter-export', { match: { type: 'PRIMARY' } });
    assert.deepEqual(categories.request, { match: { type: 'PRIMARY' } });
    assert.equal((await jobOf('site/actions/export', {})).request, undefined);
    const skus = Array.from({ length: 3_000 }, (_, n) => `sku-${n}`);
    assert.equal((await jobOf('product/actions/filter-export', { match: { sku: skus } })).request, undefined);
    const { body } = await shop.call('GET', '/jobs/product');
    const others = body.data.filter(({ type }: { type: string }) => !type.endsWith('_EXPORT'));
    assert.ok(others.length > 0);
    assert.ok(others.every(({ request }: { request?: unknown }) => request === undefined));
  });
});
