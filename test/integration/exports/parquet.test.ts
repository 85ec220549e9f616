/** Exports as Parquet, read back by another implementation. */
import assert from 'node:assert/strict';
import { askForExport, exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { parquetContent } from '../../support/read-parquet.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('an export as Parquet', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    const attributes = [
      'Title',
      { name: 'Price', type: 'DECIMAL' },
      { name: 'Stock', type: 'INTEGER' },
      { name: 'Fragile', type: 'BOOLEAN' },
      { name: 'Released', type: 'DATETIME', format: 'dd.MM.yyyy HH:mm' },
      { name: 'Size', type: 'OPTIONS', optionsType: 'INTEGER', options: ['1', '20'] },
      { name: 'Colour', type: 'OPTIONS', options: ['Red', 'NULL'] },
    ];
    await shop.define({
      attributes,
      categories: { 'Storage->Disk': attributes.map((one) => (typeof one === 'string' ? one : one.name)) },
    });
    const answer = await shop.bulk('insert', [
      { sku: 'b', nodeName: 'Storage->Disk', attributes: { Title: 'NULL', Price: '1.50', Colour: 'NULL', Size: '20' } },
      { sku: 'a', nodeName: 'Storage->Disk', parentSku: 'b', attributes: { Title: '=1+1\n\\x', Stock: -3 } },
      {
        sku: 'c',
        nodeName: 'Storage->Disk',
        attributes: { Fragile: false, Released: '2024-01-31T09:30:00Z', Price: '0.1234567890123456789' },
      },
    ]);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });
  after(() => world.stop());

  it('has the columns of the template, with types, and values without the escapes of an import', async () => {
    const { bytes, name, job } = await exportFile(shop, { body: { format: 'PARQUET' } });
    assert.match(name, /^item-export-.*\.parquet$/);
    assert.equal(job.progressTracker.processedCount, 3);
    const { columns, rows } = parquetContent(bytes);
    assert.deepEqual(columns, [
      'Category Node: Utf8',
      'SKU: Utf8',
      'Parent SKU: Utf8',
      'Title: Utf8',
      'Price: Float64',
      'Stock: Int64',
      'Fragile: Bool',
      'Released: Timestamp<MILLISECOND, UTC>',
      'Size: Int64',
      'Colour: Utf8',
    ]);
    const path = 'PRIMARY->Storage->Disk';
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [path, 'a', 'b', '=1+1\n\\x', null, -3n, null, null, null, null],
        [path, 'b', null, 'NULL', 1.5, null, null, null, 20n, 'NULL'],
        [path, 'c', null, null, 0.12345678901234568, null, false, Date.parse('2024-01-31T09:30:00Z'), null, null],
      ],
    );
    const [warning] = job.warnings;
    assert.deepEqual([warning.code, warning.path, warning.count], ['NUMBER_ROUNDED', 'Price', 1]);
    assert.match(warning.example, /"0\.1234567890123456789".*export CSV or JSONL/);
  });

  it('of what has changed says what became of each item', async () => {
    const { body: now } = await shop.call('GET', '/changes/cursor');
    await shop.bulk('insert', [{ sku: 'd', nodeName: 'Storage->Disk', attributes: { Title: 'New' } }]);
    await shop.bulk('delete' as 'update', { skus: ['c'] });
    const { bytes } = await exportFile(shop, {
      body: { format: 'PARQUET', columns: ['sku', 'Price', 'createdOn'], since: { cursor: now.cursor } },
    });
    const { rows, columns } = parquetContent(bytes);
    assert.deepEqual(columns.slice(0, 3), ['SKU: Utf8', 'Price: Float64', '_createdOn: Timestamp<MILLISECOND, UTC>']);
    assert.deepEqual(rows.map(({ SKU, _operation }) => [SKU, _operation]).sort(), [
      ['c', 'DELETE'],
      ['d', 'UPSERT'],
    ]);
  });

  it('of attributes, categories, or of nothing is a file of texts, and of columns', async () => {
    for (const entity of ['attribute', 'category'] as const) {
      const csv = (await exportFile(shop, { entity })).text.split('\n');
      const { rows, columns } = parquetContent((await exportFile(shop, { entity, body: { format: 'PARQUET' } })).bytes);
      assert.equal(rows.length, csv.length - 2, entity);
      assert.equal(columns.map((column) => column.replace(/: Utf8$/, '')).join(','), csv[0]);
    }
    const none = await exportFile(shop, { body: { format: 'PARQUET', match: { status: 'DRAFT', sku: ['a'] } } });
    assert.deepEqual(parquetContent(none.bytes).rows, []);
  });

  it('has no options of CSV, no compression around it, and no profile', async () => {
    for (const [field, value, message] of [
      ['delimiter', ';', /applies to CSV only, and the format is PARQUET/],
      ['gzip', true, /does not apply to PARQUET, which is compressed already/],
      ['profile', 'any', /choose CSV or XLSX, or leave out the profile/],
    ] as const) {
      const { status, body } = await askForExport(shop, { body: { format: 'PARQUET', [field]: value } });
      assert.equal(status, 400, field);
      assert.match(JSON.stringify(body), message);
    }
  });
});
