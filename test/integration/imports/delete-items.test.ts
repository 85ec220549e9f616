/** Deletion: everything that is an item's goes with it, and nothing goes that others need. */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const DELETE = '/api-product/v1/product/bulk/delete';

describe('the deletion of items', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Gtin', type: 'TEXT', validation: { unique: true } }],
      categories: { Disk: ['Title', 'Gtin'] },
    });
    const { body } = await shop.bulk('insert', [
      { sku: 'a', nodeName: 'Disk', attributes: { Gtin: '1' } },
      { sku: 'b', nodeName: 'Disk' },
      { sku: 'p', nodeName: 'Disk' },
      { sku: 'v', nodeName: 'Disk', parentSku: 'p' },
      {
        sku: 'k',
        nodeName: 'Disk',
        bundleItems: [
          { sku: 'b', quantity: 1 },
          { sku: 'v', quantity: 2 },
        ],
      },
      { sku: 'kk', nodeName: 'Disk', bundleItems: [{ sku: 'k', quantity: 1 }] },
    ]);
    assert.equal(body.success?.length, 6, JSON.stringify(body));
  });

  const remove = (
    skus: readonly unknown[],
    { query = '', ...options }: CallOptions & { query?: string } = {},
  ): Promise<Answer> =>
    shop.call('POST', `${DELETE}${query}`, { body: { skus }, headers: { prefer: 'wait=25' }, ...options });
  const left = async () => (await shop.items()).map(({ sku }) => sku).join(' ');
  const failed = ({ body }: Answer) =>
    (body.failed ?? body.errors).map((row: { index: number; code: string; message: string }) => [row.index, row.code]);

  it('answers as bulk writes do, and counts', async () => {
    const { status, body } = await remove(['a', 'nobody', ' a ', '', 'kk']);
    assert.equal(status, 200);
    assert.deepEqual(body.success, [
      { sku: 'a', itemId: null, message: 'deleted' },
      { sku: 'kk', itemId: null, message: 'deleted' },
    ]);
    assert.deepEqual(
      body.failed.map(({ index, code }: { index: number; code: string }) => [index, code]),
      [
        [1, 'SKU_NOT_FOUND'],
        [2, 'SKU_DUPLICATE_IN_REQUEST'],
        [3, 'SKU_REQUIRED'],
      ],
    );
    const outcome = await shop.outcome(body.jobId);
    assert.deepEqual(
      [outcome.status, outcome.total, outcome.updated, outcome.failed],
      ['COMPLETED_PARTIALLY', 5, 2, 3],
    );
    assert.equal(await left(), 'b k p v');
    const { data } = await shop.ask('GET', `/jobs/${body.jobId}/changes`);
    assert.deepEqual(
      data.map(({ sku, row }: { sku: string; row: number }) => [sku, row]),
      [
        ['a', 1],
        ['kk', 5],
      ],
      'the row that has deleted an item, and not the one with the same SKU that was left out',
    );
  });

  it('frees unique values and places in alternate categories, and takes along what a bundle held', async () => {
    const season = await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Season', type: 'ALTERNATE' } });
    const items = [{ sku: 'a', action: 'SET' }];
    await shop.ask('POST', '/api-category/v1/category/item', { body: { nodeId: season.nodeId, items } });
    assert.equal((await remove(['a', 'kk', 'k'])).body.success.length, 3);
    for (const table of ['item_unique_value', 'category_item', 'bundle_item']) {
      assert.deepEqual(await world.db(table).where({ site_id: shop.siteId }), [], table);
    }
    const { body } = await shop.bulk('insert', [
      { sku: 'c', nodeName: 'Disk', attributes: { Gtin: '1' } },
      { sku: 'a', nodeName: 'Disk', bundleItems: [{ sku: 'c', quantity: 1 }] },
    ]);
    assert.equal(body.success.length, 2);
  });

  it('refuses what others need, naming one of them', async () => {
    const answer = await remove(['a', 'b', 'p', 'k']);
    assert.deepEqual(failed(answer), [
      [1, 'ITEM_IN_USE'],
      [2, 'ITEM_IN_USE'],
      [3, 'ITEM_IN_USE'],
    ]);
    const messages = answer.body.failed.map(({ message }: { message: string }) => message.replace(/,.*/, ''));
    assert.deepEqual(messages, ['the bundle "k" holds it', '"v" is a variant of it', 'the bundle "kk" holds it']);
    assert.equal(await left(), 'b k kk p v');
  });

  it('lets what needs each other go together, in any order, and keeps what one that stays needs', async () => {
    assert.equal((await remove(['b', 'p', 'v', 'k', 'kk'])).body.success.length, 5);
    assert.equal(await left(), 'a');
  });

  it('holds for bulk options: a dry run and an aborted request delete nothing', async () => {
    const tried = await remove(['a', 'b'], { query: '?validateOnly=true' });
    assert.deepEqual([tried.status, tried.body.success.length, tried.body.failed.length], [200, 1, 1]);
    const aborted = await remove(['a', 'b'], { query: '?onError=abort' });
    assert.equal(aborted.status, 422);
    assert.equal(await left(), 'a b k kk p v');
  });

  it('deletes what the context sees', async () => {
    await shop.bulk('insert', [{ sku: 'c', nodeName: 'Disk' }], { context: { channel: 1 } });
    const foreign = await remove(['c', 'a'], { context: { channel: 2 } });
    assert.deepEqual(failed(foreign), [[0, 'SKU_NOT_FOUND']]);
    assert.equal((await remove(['c'], { context: { channel: 1 } })).status, 200);
  });

  it('refuses a body that is none', async () => {
    for (const body of [{}, { skus: [] }, { skus: [1] }, { skus: 'a' }, ['a'], { skus: ['a'], all: true }]) {
      assert.equal((await shop.call('POST', DELETE, { body })).status, 400, JSON.stringify(body));
    }
    const many = Array.from({ length: 10_001 }, (_, index) => `s${index}`);
    assert.equal((await shop.call('POST', DELETE, { body: { skus: many } })).status, 413);
  });
});
