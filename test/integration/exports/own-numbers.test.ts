/** Numbers that could be read both ways, exported and imported with the decimal separator that has written them: nothing changes, and nothing is doubtful. */
import assert from 'node:assert/strict';
import { exportFile, exportText } from '../../support/http/exporting.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PRICES = ['1.125', '2.5', '999.001', '-12.345', '7', '0.125', '1234.5'];
const FILES = [
  ['attribute', 'ATTRIBUTE_IMPORT'],
  ['category', 'CATEGORY_IMPORT'],
  ['product', 'ITEM_IMPORT'],
] as const;

const said = ({ status, warnings }: Outcome) => [status, warnings];

describe('an export with ambiguous numbers, imported with the separator that wrote it', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: [
        { name: 'Price', type: 'DECIMAL', validation: { range: { min: '-99.125', max: '1234.500' } } },
        { name: 'Only', type: 'DECIMAL', validation: { oneOf: ['1.125', '2.250'] } },
        { name: 'Sold', type: 'DATETIME', format: 'dd.MM.yyyy' },
      ],
      categories: { Disk: ['Price', 'Only', 'Sold'] },
    });
    const items = PRICES.map((Price, index) => ({
      ...{ sku: `s${index}`, nodeName: 'Disk' },
      attributes: { Price, Only: '1.125', Sold: '2026-04-03' },
    }));
    assert.equal((await shop.bulk('insert', items)).status, 200);
  });

  for (const [format, decimalSeparator] of [
    ['CSV', '.'],
    ['CSV', ','],
    ['XLSX', '.'],
    ['XLSX', ','],
    ['XLSX', undefined],
  ] as const) {
    it(`${format}, ${decimalSeparator === undefined ? 'without the option' : `with "${decimalSeparator}"`}: unchanged where it comes from, equal in an empty site, and no warning anywhere`, async () => {
      const copy = await world.newShop();
      for (const [entity, type] of FILES) {
        const option = entity === 'category' || decimalSeparator === undefined ? {} : { decimalSeparator };
        // In a workbook, numbers are numbers, whatever the option says.
        const written = format === 'XLSX' ? {} : option;
        const { name, bytes } = await exportFile(shop, { entity, body: { format, ...written } });
        // The first import compares the rows with the catalog, the second recognizes them.
        for (const again of ['read', 'recognized']) {
          const outcome = await shop.importFile(name, bytes, option, { type });
          assert.deepEqual(said(outcome), ['COMPLETED', []], `${entity} ${again}`);
          assert.deepEqual([outcome.created, outcome.updated], [0, 0], `${entity} ${again}`);
          assert.ok(outcome.unchanged > 0);
        }
        const made = await copy.importFile(name, bytes, option, { type });
        assert.deepEqual(said(made), ['COMPLETED', []], entity);
      }
      assert.equal(await exportText(copy), await exportText(shop));
      assert.equal(await exportText(copy, { entity: 'attribute' }), await exportText(shop, { entity: 'attribute' }));
    });
  }

  it('CSV without it: what was changed in a column of numbers that could all be read both ways has a warning', async () => {
    const { name, bytes } = await exportFile(shop, {
      body: { format: 'CSV', columns: ['SKU', 'Price', 'Sold'], skus: ['s0', 's2'] },
    });
    const outcome = await shop.importFile(name, bytes.toString().replaceAll('999.001', '998.001'));
    assert.deepEqual([outcome.status, outcome.updated, outcome.unchanged], ['COMPLETED', 1, 1]);
    const lines = outcome.warnings.map(({ code, path, count }) => [code, path, count]);
    assert.deepEqual(lines, [['NUMBER_AMBIGUOUS', 'Price', 1]]);
  });
});
