/** Items read by SKU and in lists. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { addAttributes, addItems } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PRODUCT = '/api-product/v1/product';
const CATEGORY = '/api-category/v1/category';

describe('items over HTTP', () => {
  let world: World;
  let caller: Shop;
  let ids: Record<string, string>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
    ids = await addAttributes(world.db, caller.site.siteId, [{ name: 'Weight', type: 'DECIMAL' }, { name: 'Title' }]);
  });

  const add = (...items: Parameters<typeof addItems>[2]) => addItems(world.db, caller.site.siteId, items);
  const list = async (query: string, context?: { channel?: number; date?: string; stage?: string }) => {
    const { status, body } = await caller.get(`${PRODUCT}?${query}`, context === undefined ? {} : { context });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const skus = async (...args: Parameters<typeof list>): Promise<string[]> => {
    const { data, count, next } = await list(...args);
    if (next === undefined && !args[0].includes('after')) assert.equal(count, data.length);
    return data.map(({ sku }: { sku: string }) => sku);
  };
  const values = (title: string, weight: unknown) => ({ [`${ids.Title}`]: title, [`${ids.Weight}`]: weight });

  it('answers an item with names in place of ids', async () => {
    const { body: storage } = await caller.post(CATEGORY, { name: 'Storage->NAS' });
    const { body: disk } = await caller.post(CATEGORY, { name: 'Disk', parentId: storage.id });
    await add({
      sku: '007',
      node_id: disk.nodeId,
      status: 'D',
      parent_sku: '006',
      channels: [4],
      attributes: values('Disk', '1.50'),
    });
    const { status, body } = await caller.get(`${PRODUCT}/007`);
    assert.equal(status, 200);
    assert.match(body.itemId, /^[0-9a-f]{24}$/);
    assert.deepEqual(body, {
      itemId: body.itemId,
      sku: '007',
      type: 'ITEM',
      status: 'DRAFT',
      nodeId: disk.nodeId,
      nodeName: 'PRIMARY->Storage\\->NAS->Disk',
      parentSku: '006',
      channels: [4],
      attributes: { Weight: '1.50', Title: 'Disk' },
      inherited: [],
      createdOn: body.createdOn,
      modifiedOn: body.modifiedOn,
    });
    assert.deepEqual(Object.keys(body.attributes), ['Weight', 'Title'], 'by position');
  });

  it('finds SKUs of any characters, trimmed and in NFC', async () => {
    const strange = [
      'a/b',
      'a b',
      '100%',
      'a?b#c',
      'caf\u00e9',
      '../x',
      'a+b',
      '%2F',
      '"quoted"',
      'attribute',
      '\u{1f600}',
      'a\\b',
      'x,y',
    ];
    await add(...strange.map((sku) => ({ sku })));
    for (const sku of strange.filter((name) => name !== 'attribute')) {
      const { status, body } = await caller.get(`${PRODUCT}/${encodeURIComponent(sku)}`);
      assert.deepEqual([status, body.sku], [200, sku], sku);
    }
    assert.equal((await caller.get(`${PRODUCT}/${encodeURIComponent(' cafe\u0301 ')}`)).body.sku, 'caf\u00e9');
    assert.deepEqual(await skus('skus=attribute'), ['attribute']);
    assert.deepEqual(await skus(`skus=${encodeURIComponent('x\\,y')}`), ['x,y']);
  });

  it('answers 404 for what is not there, or not for this account, stage or channel', async () => {
    await add({ sku: 'A', channels: [1] });
    const other = await world.newShop();
    const misses = [
      await caller.get(`${PRODUCT}/B`),
      await caller.get(`${PRODUCT}/a`),
      await caller.get(`${PRODUCT}/${'x'.repeat(2000)}`),
      await caller.get(`${PRODUCT}/A`, { context: { stage: 'test' } }),
      await caller.get(`${PRODUCT}/A`, { context: { channel: 2 } }),
      await other.get(`${PRODUCT}/A`),
    ];
    for (const [index, { status, body }] of misses.entries()) {
      assert.deepEqual([status, body.code], [404, 'SKU_NOT_FOUND'], `miss ${index}`);
    }
    assert.equal((await caller.get(`${PRODUCT}/A`, { context: { channel: 1 } })).status, 200);
  });

  it('lists in byte order, filtered', async () => {
    const { body: storage } = await caller.post(CATEGORY, { name: 'Storage' });
    const { body: disk } = await caller.post(CATEGORY, { name: 'Disk', parentId: storage.id });
    await caller.post('/api-product/v1/product/attribute/mapping', { mappings: [{ name: 'Title', mapping: 'title' }] });
    await add(
      { sku: 'b-1', node_id: disk.nodeId, attributes: values('Fast disk', 1) },
      { sku: 'B-2', status: 'D', attributes: values('Tape 100%', 2) },
      { sku: 'a_3', attributes: { [`${ids.Weight}`]: 3 } },
    );
    assert.deepEqual(await skus(''), ['B-2', 'a_3', 'b-1']);
    assert.deepEqual(await skus('skus=b-1,nope&skus=a_3'), ['a_3', 'b-1']);
    assert.deepEqual(await skus('status=DRAFT'), ['B-2']);
    assert.deepEqual(await skus('status=LIVE'), ['a_3', 'b-1']);
    assert.deepEqual(await skus(`nodeId=${storage.nodeId}`), ['b-1'], 'with what is below');
    assert.deepEqual(await skus(`nodeId=${disk.id}`), ['b-1']);
    assert.deepEqual(await skus('nodeId=4711'), []);
    assert.deepEqual(await skus('q=DISK'), ['b-1']);
    assert.deepEqual(await skus('q=_'), ['a_3']);
    assert.deepEqual(await skus('q=%25'), ['B-2']);
    assert.deepEqual(await skus('q=b-&status=LIVE'), ['b-1']);
    const { data } = await list('skus=b-1');
    assert.equal(data[0].title, 'Fast disk');
  });

  it('finds items by id, and no one else does', async () => {
    await add({ sku: 'A' }, { sku: 'B' });
    const { data } = await list('');
    const itemIds: string[] = data.map(({ itemId }: { itemId: string }) => itemId);
    assert.deepEqual(await skus(`ids=${itemIds[1]},${'f'.repeat(24)},xyz,${'0'.repeat(24)}`), ['B']);
    const largest = `${itemIds[0]?.slice(0, 8)}${'f'.repeat(16)}`;
    assert.deepEqual(await skus(`ids=${largest}`), []);
    const other = await world.newShop();
    assert.equal((await other.get(`${PRODUCT}?ids=${itemIds[0]}`)).body.count, 0);
  });

  it('sees the items of the channel and the untagged ones', async () => {
    await add({ sku: 'one', channels: [1] }, { sku: 'two', channels: [2, 3] }, { sku: 'all' });
    assert.deepEqual(await skus('', { channel: 1 }), ['all', 'one']);
    assert.deepEqual(await skus('', { channel: 3 }), ['all', 'two']);
    assert.deepEqual(await skus(''), ['all', 'one', 'two']);
    assert.deepEqual(await skus('', { stage: 'test' }), []);
  });

  it('sees what was changed up to the date', async () => {
    await add({ sku: 'old', updated_at: new Date('2026-01-01') }, { sku: 'new', updated_at: new Date('2026-03-01') });
    assert.deepEqual(await skus('', { date: '2026-02-01T00:00:00Z' }), ['old']);
    assert.deepEqual(await skus('', { date: '2026-01-01T00:00:00Z' }), ['old']);
  });

  it('pages by offset, and by SKU without a gap while others write', async () => {
    const all = Array.from({ length: 200 }, (_, index) => `K-${String(index).padStart(3, '0')}`);
    await add(...all.map((sku) => ({ sku })));
    const page = await list('offset=195&limit=10');
    assert.deepEqual([page.offset, page.limit, page.count, page.data.length, page.next], [195, 10, 200, 5, undefined]);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const cursor = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
      const { data, next, count } = await list(`limit=7${cursor}`);
      seen.push(...data.map(({ sku }: { sku: string }) => sku));
      assert.ok(count >= 200);
      after = next;
      await add({ sku: `J-${seen.length}` });
    } while (after !== undefined);
    assert.deepEqual(seen, all);
  });

  it('refuses query parameters that say nothing clear', async () => {
    for (const bad of [
      'limit=0',
      'limit=101',
      'offset=x',
      'status=GONE',
      'nodeId=Storage',
      'q=%00',
      'skus=a%00',
      'after=a&offset=1',
      'limit=1&limit=2',
    ]) {
      assert.equal((await caller.get(`${PRODUCT}?${bad}`)).status, 400, bad);
    }
  });
});
