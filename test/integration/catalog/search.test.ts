/** Searching items: the conditions of exports, pages in both directions, and answers that come soon in a stage of any size. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface Found {
  readonly items: readonly { sku: string; title?: string; attributes: Record<string, unknown>; cut?: string[] }[];
  readonly next: { after?: string; before?: string } | null;
}

async function ok(shop: Shop, path: string, body: object) {
  const answer = await shop.post(path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
}

describe('a search for items', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  const skus = Array.from({ length: 120 }, (_, index) => `S-${String(index).padStart(3, '0')}`);

  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', 'Text', { name: 'Price', type: 'DECIMAL' }],
      categories: { 'A->B': ['Title', 'Text', 'Price'], 'A->C': ['Title', 'Text', 'Price'] },
    });
    await ok(shop, '/api-product/v1/product/attribute/mapping', {
      mappings: [{ mapping: 'title', name: 'Title' }],
    });
    const items = skus.map((sku, index) => ({
      sku,
      nodeName: index % 10 === 0 ? 'A->C' : 'A->B',
      attributes: { Title: index === 77 ? "Rare? 50\\% 'x'" : `Item ${index}`, Price: index, Text: '😀'.repeat(400) },
    }));
    assert.equal((await shop.bulk('insert', items)).body.success.length, 120);
  });
  after(() => world.stop());

  const search = async (body: object): Promise<Found> =>
    (await ok(shop, '/api-product/v1/product/search', body)).body as Found;
  const count = async (body: object) => (await ok(shop, '/api-product/v1/product/count', body)).body;

  /** All pages of a search. */
  async function all(body: object, way: object = {}): Promise<string[][]> {
    const pages: string[][] = [];
    for (let from: object | null = way; from !== null; ) {
      const { items, next }: Found = await search({ ...body, ...from });
      pages.push(items.map(({ sku }) => sku));
      from = next;
    }
    return pages;
  }

  it('pages upwards and downwards, each item once, in the order of SKUs', async () => {
    assert.deepEqual((await all({ limit: 50 })).flat(), skus);
    const down = await all({ limit: 50 }, { fromEnd: true });
    assert.deepEqual(down[0], skus.slice(70), 'a page is in the order of SKUs in both directions');
    assert.deepEqual(down.toReversed().flat(), skus);
  });

  it('goes on from any SKU, also one that is not there', async () => {
    const { items } = await search({ after: 'S-0995', limit: 2 });
    assert.deepEqual(
      items.map(({ sku }) => sku),
      ['S-100', 'S-101'],
    );
    const down = await search({ before: 'S-0995', limit: 2 });
    assert.deepEqual(
      down.items.map(({ sku }) => sku),
      ['S-098', 'S-099'],
    );
  });

  it('finds by the conditions of exports, by a part of title or SKU, and by the beginning of a SKU', async () => {
    const price = { properties: [{ name: 'Price', op: 'RANGE', fromValue: 20, toValue: 30 }] };
    assert.deepEqual((await all({ match: price })).flat(), skus.slice(20, 31));
    assert.deepEqual((await all({ q: "e? 50\\% 'X" })).flat(), ['S-077']);
    assert.deepEqual((await all({ q: 's-07' })).flat(), skus.slice(70, 80));
    assert.deepEqual((await all({ skuPrefix: 'S-11', match: price })).flat(), []);
    assert.deepEqual((await all({ skuPrefix: 'S-11' }, { fromEnd: true })).flat(), skus.slice(110));
    assert.deepEqual((await all({ skuPrefix: 's-11' })).flat(), [], 'the case of a SKU is significant');
  });

  it('finds a part of a SKU in any case, of letters beyond Z as well', async () => {
    const other = await (await world.newShop()).define({ categories: { A: [] } });
    await other.bulk('insert', [{ sku: 'MÜTZE-É', nodeName: 'A' }]);
    for (const q of ['ütze', 'ÜTZE', '-é']) {
      const { body } = await ok(other, '/api-product/v1/product/search', { q });
      const listed = await other.ask('GET', `/api-product/v1/product?q=${encodeURIComponent(q)}`);
      assert.deepEqual([body.items.length, listed.count], [1, 1], q);
    }
  });

  it('counts what a search finds', async () => {
    assert.deepEqual(await count({}), { count: 120, next: null });
    assert.deepEqual(await count({ q: 'rare' }), { count: 1, next: null });
    const { nodeId } = (await shop.get('/api-product/v1/product/S-000')).body;
    assert.deepEqual(await count({ match: { categoryId: [nodeId] } }), { count: 12, next: null });
  });

  it('shows the values that are asked for, and shortens long texts between two characters', async () => {
    const [plain] = (await search({ limit: 1 })).items;
    assert.deepEqual([plain?.title, plain?.attributes], ['Item 0', {}]);
    const [item] = (await search({ limit: 1, attributes: ['text', 'Price'] })).items;
    assert.deepEqual(item?.cut, ['Text']);
    assert.deepEqual(item?.attributes, { Text: '😀'.repeat(250), Price: '0' });
  });

  it('refuses what it cannot search for, with the place', async () => {
    const refused = async (body: object) => {
      const { status, body: answer } = await shop.post('/api-product/v1/product/search', body);
      return [status, JSON.stringify(answer)] as const;
    };
    const [status, text] = await refused({ attributes: ['Prize'] });
    assert.equal(status, 400);
    assert.match(text, /attributes\.0: there is no attribute \\"Prize\\": did you mean \\"Price\\"\?/);
    assert.match((await refused({ after: 'a', before: 'b' }))[1], /one of/);
    assert.equal((await refused({ after: null }))[0], 400);
    assert.equal((await refused({ limit: 201 }))[0], 400);
    assert.equal((await refused({ fromEnd: false }))[0], 400);
  });

  it('answers soon in a stage of many items, and goes on where the time was over', async () => {
    const large = await world.newShop();
    await large.define({ attributes: ['Title'], categories: { A: ['Title'] } });
    const { body } = await large.bulk('insert', [{ sku: 'A', nodeName: 'A', attributes: { Title: 'x' } }]);
    assert.equal(body.success.length, 1);
    await world.db.raw(
      `INSERT INTO item (site_id, sku, node_id, attributes)
       SELECT site_id, 'X-' || n, node_id, jsonb_build_object('none', repeat('x', 300)) FROM item, generate_series(1, 20000) AS n
       WHERE sku = 'A' AND attributes ->> (SELECT id FROM attribute WHERE site_id = item.site_id AND name = 'Title') = 'x'`,
    );
    const find = async (given: object) => (await ok(large, '/api-product/v1/product/search', given)).body as Found;
    const found: string[] = [];
    for (let from: object | null = {}; from !== null; ) {
      const { items, next }: Found = await find({ q: '-19999', ...from });
      found.push(...items.map(({ sku }) => sku));
      from = next;
    }
    assert.deepEqual(found, ['X-19999']);
    assert.equal(
      (await find({ fromEnd: true, limit: 1 })).items[0]?.sku,
      'X-9999',
      'the last row is as near as the first',
    );
  });
});
