/** Property: the files of changes, applied to the first whole file in their order, are the whole export of the end. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import Papa from 'papaparse';
import type { Shop } from '../../support/http/shop.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Row = Record<string, string>;

const SKUS = ['a', 'b', 'c', 'd', 'e'];
const sku = fc.constantFrom(...SKUS);

/** What somebody does, or that the feed runs. */
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('put' as const), sku, shown: fc.boolean(), rack: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), sku }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom('Shelf', 'Board') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('attribute' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

describe('the files of a destination of changes', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });

  async function act(shop: Shop, folder: ShopFolder, id: string, number: number, done: Action) {
    switch (done.kind) {
      case 'put': {
        const attributes = { Title: done.shown ? `shown ${number}` : 'hidden' };
        const nodeName = done.rack ? 'Rack' : (await shelfOf(shop)).name;
        return shop.bulk('upsert', [{ sku: done.sku, nodeName, attributes }]);
      }
      case 'delete':
        return shop.post(
          '/api-product/v1/product/bulk/delete',
          { skus: [done.sku] },
          { headers: { prefer: 'wait=25' } },
        );
      case 'rename': {
        const { id: category } = await shelfOf(shop);
        return shop.ask('PUT', '/api-category/v1/category', { body: { id: category, name: done.name } });
      }
      case 'attribute':
        return shop.define({ attributes: [`New ${number}`] });
      case 'run':
        return folder.run(id);
    }
  }

  async function shelfOf(shop: Shop): Promise<{ readonly id: string; readonly name: string }> {
    const { data } = await shop.ask('GET', '/api-category/v1/category?limit=100');
    return data.find(({ name }: { name: string }) => name === 'Shelf' || name === 'Board');
  }

  const rowsOf = (text: string) => Papa.parse<Row>(text.trim(), { header: true, skipEmptyLines: true }).data;
  /** What an absent column says is the same as an empty cell. */
  const filled = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''));

  async function sumOf(folder: ShopFolder): Promise<Map<string, Row>> {
    let items = new Map<string, Row>();
    for (const name of (await folder.names()).filter((one) => one.startsWith('changes-'))) {
      if (name.includes('whole')) items = new Map();
      for (const { _operation: operation, ...row } of rowsOf(await folder.read(name))) {
        if (operation === 'DELETE') items.delete(row.SKU ?? '');
        else items.set(row.SKU ?? '', filled(row));
      }
    }
    return items;
  }

  it('add up to the last whole export, whatever happens between them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 6, maxLength: 14 }), async (actions) => {
        const shop = await world.newShop();
        await shop.define({
          ...{ attributes: ['Title'], categories: { Shelf: ['Title'], Rack: ['Title'] }, mapping: { title: 'Title' } },
        });
        const folder = await folders.of(shop);
        const selected = {
          type: 'ITEM_EXPORT',
          match: { properties: [{ name: 'Title', op: 'NOT_IN', value: ['hidden'] }] },
        };
        const { id } = await folder.makeDestination({
          ...{ content: 'DELTA', export: selected, fileName: 'changes-{sequence}-{content}.csv', whenEmpty: 'SKIP' },
        });
        const whole = await folder.makeDestination({ name: 'Whole', export: selected, fileName: 'whole.csv' });
        await folder.run(id);
        for (const [number, done] of actions.entries()) await act(shop, folder, id, number, done);
        for (const one of [id, whole.id]) assert.equal((await folder.run(one)).status, 'COMPLETED');
        const expected = rowsOf(await folder.read('whole.csv')).map((row) => [row.SKU ?? '', filled(row)] as const);
        assert.deepEqual([...(await sumOf(folder))].sort(), [...expected].sort());
      }),
      { numRuns: 4 },
    );
  });
});
