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

  it('of some attributes have created and deleted items besides: what they have, or had, of these is new to the reader', async () => {
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    await apply([{ sku: 'c', nodeName: 'Disk', attributes: { Price: '1' } }]);
    await apply([
      { sku: 'a', attributes: { Price: '6' } },
      { sku: 'b', attributes: { Title: 'Zwei' } },
    ]);
    const headers = { prefer: 'wait=25' };
    const gone = await shop.post('/api-product/v1/product/bulk/delete', { skus: ['b'] }, { headers });
    assert.equal(gone.status, 200, gone.text);
    const read = async (query: string) => {
      const { data } = await shop.ask('GET', `/changes?since=${cursor}${query}`);
      return data.map(({ sku, operation }: Body) => `${sku} ${operation}`);
    };
    assert.deepEqual(await read('&attributes=Price'), ['c CREATED', 'a UPDATED', 'b DELETED']);
    assert.deepEqual(await read('&attributes=Price&operations=UPDATED'), ['a UPDATED']);
    assert.deepEqual(await read('&attributes=Price&types=category'), []);
    const { data } = await shop.ask('GET', `/changes?since=${cursor}&operations=DELETED`);
    assert.deepEqual(Object.keys(data[0].attributes), ['Title'], 'it had no price');
    assert.deepEqual((await shop.ask('GET', `/jobs/${data[0].jobId}/changes?attributes=Price`)).data, []);
  });

  it('of attributes that there are not are refused, with the name that was probably meant', async () => {
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    const { status, body } = await shop.get(`/changes?since=${cursor}&attributes=Title,Prise,statsu`);
    assert.deepEqual([status, body.code], [400, 'REQUEST_INVALID']);
    assert.deepEqual(
      body.errors.map(({ path, message }: Body) => [path, /did you mean "(.+)"/.exec(message)?.[1]]),
      [
        ['attributes', 'Price'],
        ['attributes', 'status'],
      ],
    );
    // Names of attributes are the same in capitals, here as everywhere.
    const waiting = shop.ask('GET', `/changes?since=${cursor}&wait=25&attributes=PRICE`);
    await apply([{ sku: 'a', attributes: { Price: '9' } }]);
    assert.deepEqual(Object.keys((await waiting).data[0].attributes), ['Price']);
  });

  it('of an attribute that was deleted or renamed since are found by the name that it had', async () => {
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    await apply([{ sku: 'a', attributes: { Title: 'Eins', Price: null } }]);
    await apply([{ sku: 'a', attributes: { Title: null, Price: '7' } }]);
    await apply([{ sku: 'a', attributes: { Price: null } }]);
    await apply([{ sku: 'b', attributes: { Title: null } }]);
    const list = '/api-product/v1/product/attribute';
    const { data: attributes } = await shop.ask('GET', list);
    const [price, title] = ['Price', 'Title'].map((name) => attributes.find((one: Body) => one.name === name).id);
    const { body } = await shop.bulkAttributes([
      { action: 'DELETE', name: 'Price' },
      { action: 'UPDATE', id: title, name: 'Headline' },
    ]);
    assert.deepEqual(body.attributes.failed, [], JSON.stringify(body));
    const found = async (name: string) =>
      (await shop.ask('GET', `/changes?since=${cursor}&attributes=${name}`)).data.map(({ sku }: Body) => sku);
    for (const name of ['Price', price]) assert.deepEqual(await found(name), ['a', 'a', 'a']);
    for (const name of ['Title', 'Headline']) assert.deepEqual(await found(name), ['a', 'a', 'b']);
    assert.equal((await shop.get(`/changes?since=${cursor}&attributes=${title.slice(1)}0`)).status, 400);
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
