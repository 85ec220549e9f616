/** Items and profiles are reached whatever their names are: `.` and `..` are left out of paths by every client. */
import assert from 'node:assert/strict';
import { createClient, type LongshoreClient } from '@longshore/client';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SKUS = ['.', '..', '-', '/', 'a/b', '\\', '%2F', '%2E%2E', '?', '#', 'a b', '~', 'attribute', 'history'] as const;
const PRODUCT = '/api-product/v1/product';

describe('an address with a name', () => {
  let world: World;
  let shop: Shop;
  let client: LongshoreClient;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.bulk(
      'insert',
      SKUS.map((sku) => ({ sku, nodeName: 'Disk' })),
    );
    client = createClient({ baseUrl: world.api.url, token: shop.token, site: { account: shop.account } });
  });
  after(() => world.stop());

  it('reaches each item and its history, by the client and by an address', async () => {
    for (const sku of SKUS) {
      assert.equal((await client.getItem({ sku })).sku, sku);
      assert.deepEqual(
        (await client.getItemHistory({ sku })).data.map((change) => change.sku),
        [sku],
      );
      const query = new URLSearchParams({ sku });
      assert.equal((await shop.ask('GET', `${PRODUCT}/-?${query}`)).sku, sku);
      const { data } = await shop.ask('GET', `${PRODUCT}/-/history?${query}&limit=1`);
      assert.equal(data[0].sku, sku);
    }
  });

  it('pages the history of such an item', async () => {
    await shop.bulk('upsert', [{ sku: '..', attributes: { Title: 'Parent' } }]);
    const { data, next } = await client.getItemHistory({ sku: '..', limit: 1 });
    const { data: older } = await client.getItemHistory({ sku: '..', limit: 1, after: next ?? assert.fail() });
    assert.deepEqual(
      [...data, ...older].map(({ operation }) => operation),
      ['UPDATED', 'CREATED'],
    );
  });

  it('is refused when its path and its query name two', async () => {
    for (const path of [`${PRODUCT}/a?sku=b`, `${PRODUCT}/a/history?sku=b`, '/import-profiles/a?name=b']) {
      const { status, body } = await shop.get(path);
      assert.deepEqual([status, body.code], [400, 'REQUEST_INVALID'], path);
      assert.match(body.message, /write "-" in its place/);
    }
    assert.equal((await shop.ask('GET', `${PRODUCT}/%2F?sku=%2F`)).sku, '/', 'naming it twice is no mistake');
    assert.equal((await shop.get(`${PRODUCT}/-?sku=none`)).status, 404);
  });

  it('reads, changes, renames and deletes a profile', async () => {
    const readingFrom = (from: string) => ({ fileType: 'ITEM_IMPORT' as const, columns: [{ to: 'SKU', from }] });
    for (const name of ['.', '..', '%', '-']) {
      await client.createImportProfile({ body: { name, profile: readingFrom('No') } });
      assert.equal((await client.updateImportProfile({ name, body: { profile: readingFrom('Number') } })).version, 2);
      assert.equal((await client.getImportProfile({ name, version: 1 })).name, name);
      assert.equal((await client.listImportProfileVersions({ name })).count, 2);
      assert.equal((await client.renameImportProfile({ name, body: { name: 'plain' } })).name, 'plain');
      assert.equal((await client.renameImportProfile({ name: 'plain', body: { name } })).name, name);
      assert.equal((await client.deleteImportProfile({ name })).name, name);
    }
  });
});
