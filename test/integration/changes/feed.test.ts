/** How the feed of a site is read: page by page, and by those who wait for the next change. */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];

describe('the changes of a feed', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
    });
    await shop.bulk('insert', [
      { sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Price: '5' } },
      { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' } },
    ]);
  });

  const apply = (body: unknown) => shop.bulk('upsert', body);

  it('are the same in pages that end at any place of a set', async () => {
    const { cursor: begin } = await shop.ask('GET', '/changes/cursor');
    await apply([
      ...['p', 'q', 'r'].map((sku) => ({ sku, nodeName: 'Disk' })),
      { sku: 'a', attributes: { Price: '7' } },
      { sku: 'b', attributes: { Price: '8' } },
    ]);
    for (const filter of ['', '&types=item']) {
      const { data: all } = await shop.ask('GET', `/changes?since=${begin}${filter}`);
      assert.deepEqual(
        all.map(({ sku, row }: Body) => [sku, row]),
        [
          ['p', 1],
          ['q', 2],
          ['r', 3],
          ['a', 4],
          ['b', 5],
        ],
      );
      for (const limit of [1, 2, 4]) {
        const paged: Body[] = [];
        let cursor = begin;
        for (let more = true; more; ) {
          const page = await shop.ask('GET', `/changes?since=${cursor}&limit=${limit}${filter}`);
          paged.push(...page.data);
          ({ cursor, more } = page);
        }
        assert.deepEqual(paged, all);
      }
    }
  });

  it('begin with the first one of a stage that nobody has written to yet', async () => {
    const at = { headers: { 'x-site-context': JSON.stringify({ account: shop.account, stage: 'next' }) } };
    const { cursor } = await shop.ask('GET', '/changes/cursor', at);
    const empty = await shop.ask('GET', `/changes?since=${cursor}`, at);
    assert.deepEqual([empty.data, empty.more, empty.cursor], [[], false, cursor]);
    const category = { body: { name: 'First' }, ...at };
    await shop.ask('POST', '/api-category/v1/category', category);
    const { data, cursor: next } = await shop.ask('GET', `/changes?since=${cursor}`, at);
    const seen = new Set(data.map(({ kind, operation }: Body) => `${kind} ${operation}`));
    assert.deepEqual([...seen], ['category CREATED'], 'the root of the tree, and the category');
    assert.deepEqual((await shop.ask('GET', `/changes?since=${next}`, at)).data, []);
  });

  it('are read once while a filter waits, and a reader who has seen all of them reads none again', async () => {
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    const reads: number[] = [];
    const note = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => {
      if (/FROM change_set AS set CROSS JOIN LATERAL/.test(sql)) reads.push(firstOf(sql, bindings));
    };
    world.db.on('query', note);
    try {
      const waiting = shop.ask('GET', `/changes?since=${cursor}&wait=25&attributes=Title`);
      for (const price of ['1', '2', '3']) {
        const before = reads.length;
        await apply([{ sku: 'a', attributes: { Price: price } }]);
        await until('the change has ended the wait', () => reads.length > before, 10_000);
      }
      await apply([{ sku: 'a', attributes: { Title: 'Last' } }]);
      const { data, cursor: end } = await waiting;
      assert.equal(data.length, 1);
      assert.ok(reads.length >= 4, 'each of the changes has ended a wait');
      assert.deepEqual(
        reads,
        [...new Set(reads)].sort((one, other) => one - other),
        'no set is read twice',
      );
      const before = reads.length;
      assert.deepEqual((await shop.ask('GET', `/changes?since=${end}`)).data, []);
      assert.equal(reads.length, before, 'nothing is new: nothing is read');
    } finally {
      world.db.off('query', note);
    }
  });
});

/** The position from which a statement reads sets of the feed. */
function firstOf(sql: string, bindings: readonly unknown[]): number {
  const [, nth] = /set\.position >= \$(\d+)/.exec(sql) ?? [];
  return Number(bindings[Number(nth) - 1]);
}
