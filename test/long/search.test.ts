/** Searching a stage of a million items: whatever is searched for, each answer comes within 300 ms. */
import assert from 'node:assert/strict';
import type { Shop } from '../support/http/shop.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ITEMS = 1_000_000;
const PART = 50_000;
const WITHIN_MS = 300;

interface Answer {
  readonly items: readonly { readonly sku: string }[];
  readonly next: object | null;
}

describe('in a stage of a million items', function () {
  this.timeout(600_000);
  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld({ workers: true });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { A: ['Title', 'Price'], B: ['Title', 'Price'] },
    });
    const mapping = { mappings: [{ mapping: 'title', name: 'Title' }] };
    assert.equal((await shop.post('/api-product/v1/product/attribute/mapping', mapping)).status, 200);
    const rows = ['A', 'B'].map((nodeName) => ({ sku: nodeName, nodeName, attributes: { Title: 'first', Price: 1 } }));
    assert.equal((await shop.bulk('insert', rows)).body.success.length, 2);
    // In parts, each of which ends before the database gives up a statement.
    for (let from = 0; from < ITEMS; from += PART) {
      await world.db.raw(
        `INSERT INTO item (site_id, sku, node_id, attributes)
         SELECT site_id, 'X-' || to_char(n, 'FM0000000'), node_id,
           attributes || jsonb_build_object((SELECT id FROM attribute WHERE name = 'Title' AND site_id = item.site_id), 'Title ' || n)
             || (SELECT jsonb_object_agg('other' || k, repeat('v', 15)) FROM generate_series(1, 40) AS k)
         FROM item, generate_series(?::integer, ?::integer) AS n WHERE sku = CASE WHEN n % 1000 = 0 THEN 'B' ELSE 'A' END`,
        [from + 1, from + PART],
      );
    }
  });
  after(() => world.stop());

  const price = (value: number) => ({ match: { properties: [{ name: 'Price', op: 'GTE', value }] } });
  const cases: readonly [string, object][] = [
    ['shows the first items', {}],
    ['shows the last items', { fromEnd: true }],
    ['goes to any SKU', { after: 'X-0500000' }],
    ['finds by the beginning of a SKU', { skuPrefix: 'X-09999' }],
    ['finds a title at the end of the stage', { q: 'Title 999999' }],
    ['finds by a category that few items have', { match: { categoryId: [2] } }],
    ['finds nothing by a value', price(2)],
    ['finds drafts, of which there are none', { match: { status: 'DRAFT' } }],
  ];
  for (const [does, body] of cases) {
    it(does, async () => {
      const slowest = { first: 0, any: 0, answers: 0, found: 0 };
      const { fromEnd, after, ...search }: { fromEnd?: true; after?: string } = body;
      const begin = fromEnd ? { fromEnd } : after ? { after } : {};
      for (let from: object | null = begin; from !== null && slowest.found < 200; ) {
        const started = performance.now();
        const { status, body: answer } = await shop.post('/api-product/v1/product/search', { ...search, ...from });
        const elapsed = performance.now() - started;
        assert.equal(status, 200, JSON.stringify(answer));
        const { items, next } = answer as Answer;
        if (slowest.answers++ === 0) slowest.first = elapsed;
        slowest.any = Math.max(slowest.any, elapsed);
        slowest.found += items.length;
        from = next;
      }
      const { first, any, answers, found } = slowest;
      process.stdout.write(
        `      ${found} items in ${answers} answers; the first ${Math.round(first)} ms, the slowest ${Math.round(any)} ms\n`,
      );
      assert.ok(any <= WITHIN_MS, `an answer took ${Math.round(any)} ms`);
    });
  }
});
