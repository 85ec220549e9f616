/** What stands in an exported file. */
import assert from 'node:assert/strict';
import { acceptExport, exportFile, exportText } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the file of an export', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    await shop.define({
      attributes: [
        'Title',
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Stock', type: 'INTEGER' },
        { name: 'Fragile', type: 'BOOLEAN' },
        { name: 'Released', type: 'DATETIME', format: 'dd.MM.yyyy HH:mm' },
        { name: 'Colour', type: 'OPTIONS', options: ['Red', 'NULL', '\\x'] },
      ],
      categories: { 'Storage->Disk': ['Title', 'Price', 'Stock', 'Fragile', 'Released', 'Colour'] },
    });
    const answer = await shop.bulk('insert', [
      { sku: 'b', nodeName: 'Storage->Disk', attributes: { Title: 'NULL', Price: '1.50', Colour: 'NULL' } },
      {
        sku: 'a',
        nodeName: 'Storage->Disk',
        parentSku: 'b',
        attributes: { Title: 'He said "hi",\nthen left', Stock: -3 },
      },
      {
        sku: 'C',
        nodeName: 'Storage->Disk',
        attributes: { Title: '\\back', Fragile: false, Released: '2024-01-31T09:30:00Z', Colour: '\\x' },
      },
      { sku: 'é', nodeName: 'Storage->Disk', attributes: { Released: '2024-01-31', Title: '=1+1' } },
    ]);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });
  after(() => world.stop());

  it('has the columns of the template, and items in the byte order of SKUs', async () => {
    const { text, name, job } = await exportFile(shop);
    assert.equal(
      text,
      [
        'Category Node,SKU,Parent SKU,Title,Price,Stock,Fragile,Released,Colour',
        'PRIMARY->Storage->Disk,C,,\\\\back,,,false,31.01.2024 09:30,\\\\x',
        'PRIMARY->Storage->Disk,a,b,"He said ""hi"",\nthen left",,-3,,,',
        'PRIMARY->Storage->Disk,b,,\\NULL,1.5,,,,\\NULL',
        'PRIMARY->Storage->Disk,é,,=1+1,,,,2024-01-31,',
        '',
      ].join('\n'),
    );
    assert.match(name, /^item-export-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.csv$/);
    assert.equal(job.progressTracker.totalCount, 4);
    assert.equal(job.progressTracker.processedCount, 4);
  });

  it('as JSON Lines holds elements that bulk requests take', async () => {
    const { text, name } = await exportFile(shop, { body: { format: 'JSONL' } });
    const lines = text.trimEnd().split('\n');
    assert.equal(
      lines[1],
      '{"sku":"a","type":"ITEM","nodeName":"PRIMARY->Storage->Disk","parentSku":"b","attributes":{"Title":"He said \\"hi\\",\\nthen left","Stock":-3}}',
    );
    assert.match(name, /\.jsonl$/);
    const answer = await shop.bulk('upsert', `[${lines.join(',')}]`);
    assert.deepEqual(
      answer.body.success.map(({ message }: { message: string }) => message),
      Array(4).fill('unchanged'),
    );
  });

  it('is written with another delimiter and decimal comma, a byte order mark, compressed', async () => {
    const body = {
      delimiter: ';',
      decimalSeparator: ',',
      bom: true,
      gzip: true,
      locale: 'de-DE',
      match: { sku: ['b'] },
    };
    const { text, name } = await exportFile(shop, { body });
    assert.equal(
      text,
      '\uFEFFCategory Node;SKU;Parent SKU;Title;Price;Stock;Fragile;Released;Colour\nPRIMARY->Storage->Disk;b;;\\NULL;1,5;;;;\\NULL\n',
    );
    assert.match(name, /^item-export-de-DE-.*\.csv\.gz$/);
  });

  it('as a workbook goes back in without a change', async () => {
    const { bytes, name, job } = await exportFile(shop, { body: { format: 'XLSX' } });
    assert.match(name, /\.xlsx$/);
    assert.equal(job.progressTracker.totalCount, 4);
    const again = await shop.importFile('again.xlsx', bytes);
    assert.deepEqual([again.status, again.unchanged, again.total], ['COMPLETED', 4, 4], JSON.stringify(again));
    const other = await exportFile(shop, { body: { format: 'XLSX' } });
    assert.ok(other.bytes.equals(bytes));
  });

  it('is refused as a workbook where a cell is longer than any spreadsheet takes', async () => {
    const long = await world.newShop();
    await long.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await long.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'x'.repeat(40_000) } }]);
    const job = await untilEnded(long, await acceptExport(long, { body: { format: 'XLSX' } }));
    assert.deepEqual([job.status, job.reason, job.outputFiles], ['REJECTED', 'CELL_TOO_LONG', []]);
    assert.match(job.statusMessage, /Export CSV or JSONL instead/);
  });

  it('has the columns that are asked for, facts under names that imports ignore', async () => {
    const body = {
      skus: ['b'],
      columns: ['sku', 'price', 'itemId', '_status', 'type', 'nodeId', '_channels', 'modifiedOn'],
    };
    const [header, line] = (await exportText(shop, { body })).split('\n');
    assert.equal(header, 'SKU,Price,_itemId,_status,_type,_nodeId,_channels,_modifiedOn');
    const item = await shop.ask('GET', '/api-product/v1/product/b');
    assert.equal(line, `b,1.5,${item.itemId},LIVE,ITEM,${item.nodeId},,${item.modifiedOn}`);
    const json = JSON.parse(await exportText(shop, { body: { ...body, format: 'JSONL' } }));
    assert.deepEqual(json, {
      sku: 'b',
      type: 'ITEM',
      attributes: { Price: '1.5' },
      ...{ _itemId: item.itemId, _status: 'LIVE', _type: 'ITEM', _nodeId: item.nodeId, _channels: null },
      _modifiedOn: item.modifiedOn,
    });
  });

  it('keeps spreadsheets from running what looks like a formula, where that is asked for', async () => {
    const text = await exportText(shop, {
      body: { escapeFormulas: true, match: { sku: ['a', 'é'] }, columns: ['SKU', 'Title', 'Stock'] },
    });
    assert.equal(text, `SKU,Title,Stock\na,"He said ""hi"",\nthen left",-3\né,'=1+1,\n`);
  });

  it('has a header alone where nothing matches', async () => {
    const { text, job } = await exportFile(shop, { body: { skus: ['nobody', 'b2'] } });
    assert.equal(text.split('\n').length, 2);
    assert.match(job.statusMessage, /^2 of the 2 named were not found/);
  });

  it('tells of attributes and of categories', async () => {
    const attributes = await exportText(shop, { entity: 'attribute', body: { match: { name: 'price' } } });
    assert.match(attributes, /\nPrice,NUMBER,,TRUE,/);
    const categories = await exportText(shop, { entity: 'category' });
    assert.match(categories, /\nPRIMARY->Storage->Disk,PRIMARY,0,TRUE,/);
  });
});
