/** Exports of what is not everyday, sent back: items and bundles in one file, and values whose attribute was taken away. */
import assert from 'node:assert/strict';
import { type ExportRequest, exportFile, exportText } from '../../support/http/exporting.js';
import { type CatalogPlan, type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });

describe('an export that comes back', function () {
  this.timeout(60_000);
  let world: World;

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());

  /** Where each item lies, and who wrote it. */
  const tuples = ({ siteId }: Shop): Promise<unknown> =>
    world.db('item').where({ site_id: siteId }).orderBy('sku').select('sku', world.db.raw('ctid::text, xmin::text'));

  describe('with items and bundles in one file', () => {
    const CATALOG: CatalogPlan = {
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Kits: ['Title', 'Price'] },
    };
    const both: ExportRequest = { body: { format: 'JSONL', match: { type: ['ITEM', 'BUNDLE'] } } };
    const held = (...skus: string[]) => skus.map((sku, index) => ({ sku, quantity: index + 1 }));
    let shop: Shop;

    before(async () => {
      shop = await (await world.newShop()).define(CATALOG);
      const { body } = await shop.bulk('insert', [
        { sku: 'z', nodeName: 'Kits', attributes: { Title: 'Last', Price: '9.90' } },
        { sku: 'y', nodeName: 'Kits', parentSku: 'z', attributes: { Title: 'A variant' } },
        { sku: 'a', type: 'BUNDLE', nodeName: 'Kits', attributes: { Title: 'Set' }, bundleItems: held('b', 'z') },
        { sku: 'b', type: 'BUNDLE', nodeName: 'Kits', bundleItems: held('y', 'z') },
        { sku: 'c', type: 'BUNDLE', nodeName: 'Kits', attributes: { Price: 1 } },
      ]);
      assert.deepEqual(body.failed, [], JSON.stringify(body));
    });

    it('changes nothing where it came from, as JSON Lines', async () => {
      const before = await tuples(shop);
      const text = await exportText(shop, both);
      assert.deepEqual(
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
          .map(({ sku, type }) => `${sku} ${type}`),
        ['a BUNDLE', 'b BUNDLE', 'c BUNDLE', 'y ITEM', 'z ITEM'],
      );
      const again = await shop.importFile('all.jsonl', text);
      assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 5, failed: 0 }, JSON.stringify(again));
      assert.deepEqual(await tuples(shop), before);
    });

    for (const type of ['ITEM_IMPORT', 'BUNDLE_IMPORT']) {
      it(`makes the same of an empty site, whose export is the same, by ${type}`, async () => {
        const text = await exportText(shop, both);
        const copy = await (await world.newShop()).define(CATALOG);
        const read = await copy.importFile('all.jsonl', text, {}, { type });
        assert.deepEqual(counts(read), { created: 5, updated: 0, unchanged: 0, failed: 0 }, JSON.stringify(read));
        assert.equal(await exportText(copy, both), text);
      });
    }

    for (const format of ['CSV', 'XLSX']) {
      it(`is refused as ${format}, which has no column for what a row is, with the way out`, async () => {
        const { bytes, name } = await exportFile(shop, { body: { ...both.body, format } });
        const asItems = await shop.importFile(name, bytes);
        assert.deepEqual([asItems.status, asItems.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
        assert.match(asItems.message, /"Items".*BUNDLE_IMPORT/);
      });
    }
  });

  describe('with values whose attribute was taken from the category', () => {
    const CATALOG: CatalogPlan = {
      attributes: [
        'Title',
        'Fabric',
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Since', type: 'DATETIME', format: 'dd.MM.yyyy' },
      ],
      categories: { Shirts: ['Title', 'Fabric', 'Price', 'Since'], Kits: ['Title', 'Fabric'], Coats: ['Title'] },
    };
    let shop: Shop;

    before(async () => {
      shop = await (await world.newShop()).define(CATALOG);
      const attributes = { Title: 'Plain', Fabric: 'NULL', Price: '12345678901234567890.50', Since: '2024-01-31' };
      const { body } = await shop.bulk('insert', [
        { sku: 'a', nodeName: 'Shirts', attributes },
        { sku: 'b', nodeName: 'Shirts', parentSku: 'a', attributes: { Fabric: 'wool' } },
        { sku: 'c', nodeName: 'Shirts', attributes: { Title: 'Without' } },
        {
          sku: 'k',
          type: 'BUNDLE',
          nodeName: 'Kits',
          attributes: { Fabric: 'silk' },
          bundleItems: [{ sku: 'a', quantity: 1 }],
        },
      ]);
      assert.deepEqual(body.failed, [], JSON.stringify(body));
      for (const [path, names] of [
        ['Shirts', ['Fabric', 'Price', 'Since']],
        ['Kits', ['Fabric']],
      ] as const) {
        const itemAttributes = names.map((name) => ({ action: 'UNSET', name }));
        const nodeId = await shop.category(path);
        await shop.ask('POST', '/api-category/v1/category/item-attribute', { body: { nodeId, itemAttributes } });
      }
    });

    for (const format of ['CSV', 'JSONL', 'XLSX']) {
      it(`keeps them and changes nothing, as ${format}`, async () => {
        const before = await tuples(shop);
        for (const [entity, type, rows] of [
          ['product', 'ITEM_IMPORT', 3],
          ['bundle', 'BUNDLE_IMPORT', 1],
        ] as const) {
          const { bytes, name } = await exportFile(shop, { entity, body: { format } });
          const ways = format === 'CSV' ? [{}, { mode: 'update' }, { onError: 'abort' }, { validateOnly: true }] : [{}];
          for (const options of ways) {
            const again = await shop.importFile(name, bytes, options, { type });
            assert.deepEqual(
              [again.status, again.unchanged, again.failed],
              ['COMPLETED', rows, 0],
              JSON.stringify(again),
            );
          }
        }
        assert.deepEqual(await tuples(shop), before);
      });
    }

    it('lets other cells of such a row be changed, and the value be cleared; another one is refused', async () => {
      const copy = await (await world.newShop()).define({
        attributes: ['Title', 'Fabric'],
        categories: { Shirts: ['Title', 'Fabric'], Coats: ['Title'] },
      });
      const row = (sku: string) => ({ sku, nodeName: 'Shirts', attributes: { Title: 'Plain', Fabric: 'wool' } });
      await copy.bulk('insert', ['a', 'b', 'c', 'd'].map(row));
      const itemAttributes = [{ action: 'UNSET', name: 'Fabric' }];
      const nodeId = await copy.category('Shirts');
      await copy.ask('POST', '/api-category/v1/category/item-attribute', { body: { nodeId, itemAttributes } });
      const rows = ['a,Shirts,Changed,wool', 'b,Shirts,,NULL', 'c,Shirts,,silk', 'd,Coats,,wool'];
      const outcome = await copy.importFile('i.csv', `SKU,Category Node,Title,Fabric\n${rows.join('\n')}\n`);
      assert.deepEqual(places(outcome), [
        [4, 'Fabric', 'ATTRIBUTE_NOT_ASSIGNED'],
        [5, 'Fabric', 'ATTRIBUTE_NOT_ASSIGNED'],
      ]);
      assert.deepEqual(await copy.values('Fabric'), { a: 'wool', b: undefined, c: 'wool', d: 'wool' });
      assert.equal((await copy.item('a'))?.attributes.Title, 'Changed');
    });

    it('tells of each of them where the site does not have them', async () => {
      const copy = await (await world.newShop()).define({
        ...CATALOG,
        categories: { Shirts: ['Title'], Coats: ['Title'] },
      });
      const read = await copy.importFile('i.csv', await exportText(shop));
      assert.deepEqual(places(read), [
        [2, 'Fabric', 'ATTRIBUTE_NOT_ASSIGNED'],
        [2, 'Price', 'ATTRIBUTE_NOT_ASSIGNED'],
        [2, 'Since', 'ATTRIBUTE_NOT_ASSIGNED'],
        [3, 'Fabric', 'ATTRIBUTE_NOT_ASSIGNED'],
        [3, 'Parent SKU', 'PARENT_NOT_FOUND'],
      ]);
      assert.deepEqual(counts(read), { created: 1, updated: 0, unchanged: 0, failed: 2 });
    });
  });
});
