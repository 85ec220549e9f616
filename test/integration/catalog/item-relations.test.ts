/** What belongs to an item is found: its variants, the bundles that contain it, and its categories. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('what belongs to an item', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Clothes: ['Title'] } });
    const root = await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Summer', type: 'ALTERNATE' } });
    await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Sale', parentId: root.id } });
    const sale = { alternateCategories: ['Summer->Sale'] };
    const rows = [
      { sku: 'P', nodeName: 'Clothes' },
      { sku: 'P-1', nodeName: 'Clothes', parentSku: 'P', ...sale },
      { sku: 'P-2', nodeName: 'Clothes', parentSku: 'P', channels: [7], ...sale },
      { sku: 'SET', nodeName: 'Clothes', type: 'BUNDLE', bundleItems: [{ sku: 'P-1', quantity: 2 }] },
    ];
    assert.deepEqual((await shop.bulk('insert', rows)).body.failed, []);
  });
  after(() => world.stop());

  const skus = async (query: string, context: object = {}) =>
    (await shop.ask('GET', `/api-product/v1/product?${query}`, { context })).data.map(
      ({ sku }: { sku: string }) => sku,
    );
  const names = async (query: string, context: object = {}) =>
    (await shop.ask('GET', `/api-category/v1/category?${query}`, { context })).data.map(
      ({ name }: { name: string }) => name,
    );

  it('are its variants, by its SKU', async () => {
    assert.deepEqual(await skus('parentSku=P'), ['P-1', 'P-2']);
    assert.deepEqual(await skus('parentSku=P', { channel: 1 }), ['P-1']);
    assert.deepEqual(await skus('parentSku=P-1'), []);
  });

  it('are the bundles that contain it', async () => {
    assert.deepEqual(await skus('partSku=P-1'), ['SET']);
    assert.deepEqual(await skus('partSku=P'), []);
  });

  it('are its categories, of all trees or of one', async () => {
    assert.deepEqual((await names('sku=P-1')).sort(), ['Clothes', 'Sale']);
    assert.deepEqual(await names('sku=P-1&type=ALTERNATE'), ['Sale']);
    assert.deepEqual(await names('sku=P-2&type=ALTERNATE', { channel: 1 }), [], 'of another channel');
    assert.deepEqual(await names('sku=none'), []);
  });
});
