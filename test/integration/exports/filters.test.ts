/** Which records an export holds: every field and operator, and the site context. */
import assert from 'node:assert/strict';
import { askForExport, type ExportRequest, exportFile, exportText } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const OPTIONS = ['Red', 'Blue'];
const SIZES = ['0.5', '10', '9'];

describe('an export by conditions', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    const names = ['Title', 'Price', 'Stock', 'Fragile', 'Released', 'Colour', 'Size'];
    await shop.define({
      attributes: [
        'Title',
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Stock', type: 'INTEGER' },
        { name: 'Fragile', type: 'BOOLEAN' },
        { name: 'Released', type: 'DATETIME', format: 'dd.MM.yyyy' },
        { name: 'Colour', type: 'OPTIONS', options: OPTIONS },
        { name: 'Size', type: 'OPTIONS', optionsType: 'DECIMAL', options: SIZES },
      ],
      categories: {
        'Storage->Disk': names.map((name) => (name === 'Stock' ? 'Stock!' : name)),
        'Storage->Tape': names,
      },
    });
    await shop.ask('POST', '/api-product/v1/product/attribute/mapping', {
      body: { mappings: [{ name: 'Title', mapping: 'title' }] },
    });
    const items = [
      {
        sku: 'a',
        nodeName: 'Storage->Disk',
        attributes: { Title: "50% _off'", Price: '9.5', Stock: 9, Released: '2024-01-31' },
      },
      {
        sku: 'b',
        nodeName: 'Storage->Disk',
        attributes: { Title: '500 _x', Price: '10', Fragile: true, Colour: 'Red', Size: 10 },
      },
      {
        sku: 'c',
        nodeName: 'Storage->Tape',
        attributes: { Price: '12345678901234567890.5', Stock: 10, Released: '2024-01-31T12:00:00Z' },
      },
      {
        sku: 'd',
        nodeName: 'Storage->Tape',
        attributes: { Fragile: false, Colour: 'Blue', Released: '2024-02-01', Size: '9' },
      },
    ];
    const answer = await shop.bulk('insert', items);
    assert.equal(answer.body.success.length, 4, JSON.stringify(answer.body));
  });
  after(() => world.stop());

  async function skus(match: object, context?: ExportRequest['context']): Promise<string> {
    const request = { body: { match, columns: ['SKU'] }, ...(context ? { context } : {}) };
    return (await exportText(shop, request)).split('\n').slice(1, -1).join('');
  }

  const property = (name: string, condition: object) => ({ properties: [{ name, ...condition }] });

  const cases: [string, object, string][] = [
    ['a text that equals', property('Title', { op: 'EQUALS', value: "50% _off'" }), 'a'],
    [
      'a text that contains, wildcards as they are and case aside',
      property('Title', { op: 'CONTAINS', value: '% _O' }),
      'a',
    ],
    ['an option', property('Colour', { op: 'EQUALS', value: 'Red' }), 'b'],
    ['one of several options', property('Colour', { op: 'IN', value: ['Red', 'Blue'] }), 'bd'],
    ['none of several, nor any', property('Colour', { op: 'NOT_IN', value: ['Red'] }), 'acd'],
    ['a boolean', property('Fragile', { op: 'EQUALS', value: false }), 'd'],
    ['a number by its value', property('Price', { op: 'EQUALS', value: '010.00' }), 'b'],
    ['one of several numbers', property('Stock', { op: 'IN', value: [9, 11] }), 'a'],
    ['a number that is at least', property('Price', { op: 'GTE', value: 10 }), 'bc'],
    ['a number that is at most', property('Price', { op: 'LTE', value: '9.5' }), 'a'],
    ['a number in a range', property('Stock', { op: 'RANGE', fromValue: 9, toValue: 10 }), 'ac'],
    ['a number in a range that is open', property('Price', { op: 'RANGE', fromValue: '12345678901234567890.5' }), 'c'],
    ['a number among options, as a number', property('Size', { op: 'GTE', value: '9' }), 'bd'],
    ['a day, with its instants', property('Released', { op: 'EQUALS', value: '2024-01-31' }), 'ac'],
    ['an instant', property('Released', { op: 'EQUALS', value: '2024-01-31T13:00:00+01:00' }), 'c'],
    ['a date that is at least an instant', property('Released', { op: 'GTE', value: '2024-01-31T00:00:01Z' }), 'cd'],
    ['a date up to a day', property('Released', { op: 'LTE', value: '2024-01-31' }), 'ac'],
    [
      'dates in a range',
      property('Released', { op: 'RANGE', fromValue: '2024-01-31T06:00:00Z', toValue: '2024-02-01' }),
      'cd',
    ],
    ['a value', property('Stock', { op: 'EXISTS' }), 'ac'],
    ['no value', property('Stock', { op: 'EXISTS', value: false }), 'bd'],
    ['a SKU', { sku: 'b' }, 'b'],
    ['several SKUs', { sku: ['d', 'a', 'nobody'] }, 'ad'],
    ['a part of the title, wildcards as they are and case aside', { q: '% _O' }, 'a'],
    ['a part of the title or of the SKU', { q: 'X' }, 'b'],
    ['a part of the SKU', { q: 'C' }, 'c'],
    ['how the SKU begins', { skuPrefix: 'd' }, 'd'],
    ['words and another condition', { q: '50', status: 'LIVE' }, 'a'],
    ['a status', { status: 'DRAFT' }, 'b'],
    ['a type', { type: 'ITEM' }, 'abcd'],
    ['another type', { type: 'BUNDLE' }, ''],
    [
      'all of several conditions',
      {
        status: 'LIVE',
        properties: [
          { name: 'price', op: 'GTE', value: 1 },
          { name: 'Stock', op: 'LTE', value: 9 },
        ],
      },
      'a',
    ],
    ['a time of making in the past', { createdAt: { fromValue: '2020-01-01', toValue: '2020-12-31' } }, ''],
    ['a time of making up to the end of time', { createdAt: { op: 'LTE', value: '9999-12-31' } }, 'abcd'],
    ['a time of change', { updatedAt: { op: 'GTE', value: '2020-01-01T00:00:00Z' } }, 'abcd'],
  ];
  for (const [what, match, expected] of cases) {
    it(`finds ${what}`, async () => {
      assert.equal(await skus(match), expected);
    });
  }

  it('finds an item by its id, and an attribute by its own', async () => {
    const { itemId } = await shop.ask('GET', '/api-product/v1/product/c');
    assert.equal(await skus({ id: itemId }), 'c');
    assert.equal(await skus({ id: [itemId, 'f'.repeat(24), 'nonsense'] }), 'c');
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?names=Stock');
    assert.equal(await skus({ properties: [{ attributeId: data[0].id, op: 'EQUALS', value: 10 }] }), 'c');
  });

  it('passes over values that are no numbers, where the options have become numbers since', async () => {
    const other = await (await world.newShop()).define({
      attributes: [{ name: 'Size', type: 'OPTIONS', options: ['large', '7', '1e5', '-0.5'] }],
      categories: { Disk: ['Size'] },
    });
    const sizes = { a: 'large', b: '7', c: '1e5', d: '-0.5' };
    const rows = Object.entries(sizes).map(([sku, Size]) => ({ sku, nodeName: 'Disk', attributes: { Size } }));
    await other.bulk('insert', rows);
    await other.bulkAttributes([{ name: 'Size', type: 'OPTIONS', optionsType: 'DECIMAL', options: [7, '-0.5'] }]);
    const of = async (condition: object) => {
      const match = { properties: [{ name: 'Size', ...condition }] };
      return (await exportText(other, { body: { match, columns: ['SKU'] } })).split('\n').slice(1, -1).join('');
    };
    assert.equal(await of({ op: 'GTE', value: -0.5 }), 'bd');
    assert.equal(await of({ op: 'LTE', value: '7' }), 'bd');
    assert.equal(await of({ op: 'EQUALS', value: 7 }), 'b');
    assert.equal(await of({ op: 'NOT_IN', value: [7] }), 'acd');
    assert.equal(await of({ op: 'EXISTS' }), 'abcd');
  });

  it('finds what lies below a category of either kind of tree', async () => {
    const path = '/api-category/v1/category';
    const { data } = await shop.ask('GET', `${path}?keyword=Storage`);
    const [storage] = data;
    assert.equal(await skus({ categoryId: [storage.id] }), 'abcd');
    assert.equal(await skus({ categoryId: storage.children[1].nodeId }), 'cd');
    const season = await shop.ask('POST', path, { body: { name: 'Season', type: 'ALTERNATE' } });
    const summer = await shop.ask('POST', path, { body: { name: 'Summer', parentNodeId: season.nodeId } });
    const items = [
      { sku: 'a', action: 'SET' },
      { sku: 'd', action: 'SET' },
    ];
    await shop.ask('POST', `${path}/item`, { body: { id: summer.id, items } });
    assert.equal(await skus({ categoryId: season.id }), 'ad');
    assert.equal(await skus({ categoryId: [season.id, storage.children[0].id] }), 'abd');
  });

  it('takes values for values, whatever they look like', async () => {
    const hostile = `'; DROP TABLE item; --\\'") OR 1=1 $1 ? :x`;
    assert.equal(await skus(property('Title', { op: 'EQUALS', value: hostile })), '');
    assert.equal(await skus(property('Title', { op: 'CONTAINS', value: hostile })), '');
    assert.equal(await skus(property('Title', { op: 'NOT_IN', value: [hostile, "'", '\\', "\\'"] })), 'abcd');
    assert.equal(await skus({ sku: [hostile, "a' OR 'a'='a", 'b'] }), 'b');
    assert.equal(await skus({ id: ["' OR true --", '0x1'] }), '');
    const wide = await shop.define({ attributes: [`x' || version() || '`, 'a"b";--', "\\' OR 1=1"] });
    assert.match(
      await exportText(wide, { body: { skus: ['a'] } }),
      /,"x' \|\| version\(\) \|\| '","a""b"";--",\\' OR 1=1\n/,
    );
    assert.match(await exportText(wide, { body: { skus: ['a'], format: 'JSONL' } }), /"sku":"a"/);
  });

  it('sees what the site context sees: its channel and the untagged, its stage, up to its date', async () => {
    const other = await world.newShop();
    await other.define({ categories: { Disk: [] } });
    const put = (sku: string, context: object) =>
      other.bulk('insert', [{ sku, nodeName: 'Disk' }], { context: context as { channel: number } });
    await put('all', {});
    await put('seven', { channel: 7 });
    await put('eight', { channel: 8 });
    const of = async (context: ExportRequest['context'] & object) =>
      (await exportText(other, { context, body: { columns: ['SKU'] } })).split('\n').slice(1, -1).sort().join(' ');
    assert.equal(await of({}), 'all eight seven');
    assert.equal(await of({ channel: 7 }), 'all seven');
    assert.equal(await of({ channel: 9 }), 'all');
    const elsewhere = await askForExport(other, { context: { stage: 'test' } }, { prefer: 'wait=25' });
    assert.deepEqual([elsewhere.status, elsewhere.body.rowCount], [200, 0]);
    assert.equal(await of({ date: '2020-01-01T00:00:00Z' }), '');
    const { modifiedOn } = await other.ask('GET', '/api-product/v1/product/seven');
    assert.equal(await of({ date: new Date(Date.parse(modifiedOn) + 1).toISOString() }), 'all seven');
    const early = { context: { date: '2020-01-01T00:00:00Z' } };
    for (const entity of ['attribute', 'category'] as const) {
      assert.equal((await exportText(shop, { entity, ...early })).split('\n').length, 2);
    }
  });

  it('asks for attributes by id, name, type and time, and for categories by place, tree and status', async () => {
    const attributes = async (match: object) =>
      (await exportText(shop, { entity: 'attribute', body: { match } }))
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0])
        .join(' ');
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?names=Stock');
    assert.equal(await attributes({ id: [data[0].id] }), 'Stock');
    assert.equal(await attributes({ name: ['stock', 'PRICE'] }), 'Price Stock');
    assert.equal(await attributes({ type: ['BOOLEAN', 'INTEGER'] }), 'Stock Fragile');
    assert.equal(await attributes({ updatedAt: { op: 'LTE', value: '2020-01-01' } }), '');
    const { text, job } = await exportFile(shop, {
      entity: 'attribute',
      body: { names: ['Colour'], format: 'JSONL' },
    });
    assert.deepEqual(JSON.parse(text), {
      name: 'Colour',
      type: 'OPTIONS',
      optionsType: 'TEXT',
      options: OPTIONS,
      validation: {},
    });
    assert.equal(job.progressTracker.totalCount, 1);

    const place = '/api-category/v1/category';
    const storage = (await shop.ask('GET', `${place}?keyword=Storage`)).data[0];
    const paths = async (body: object) =>
      (await exportText(shop, { entity: 'category', body: { ...body, format: 'JSONL' } }))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).path)
        .join(' ');
    assert.equal(
      await paths({ match: { categoryId: storage.nodeId } }),
      'PRIMARY->Storage PRIMARY->Storage->Disk PRIMARY->Storage->Tape',
    );
    assert.equal(await paths({ nodeIds: [storage.nodeId] }), 'PRIMARY->Storage');
    assert.equal(await paths({ match: { type: 'ALTERNATE' } }), 'Season Season->Summer');
    assert.equal(await paths({ match: { status: 'INACTIVE' } }), '');
  });
});
