/** Exports of what has changed, where definitions have: whole ones of items, and those of attributes and categories themselves. */
import assert from 'node:assert/strict';
import { exportSpecSchema } from '../../../src/domain/exports/model/export-spec.js';
import { whyWhole } from '../../../src/domain/exports/run/why-whole.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { cellsOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
type Entity = 'product' | 'attribute' | 'category';
const CATEGORY = '/api-category/v1/category';
const WAIT = { prefer: 'wait=25' };

describe('exports of what has changed, beside changes of definitions', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { 'Storage->Disk': ['Title', 'Price'], Paper: ['Title'] },
    });
    await shop.bulk('insert', [
      { sku: 'a', nodeName: 'Storage->Disk', attributes: { Title: 'One', Price: '1' } },
      { sku: 'b', nodeName: 'Paper', attributes: { Title: 'Two' } },
    ]);
  });

  const exported = async (entity: Entity, body: object): Promise<{ result: Body; text: string; bytes: Buffer }> => {
    const path = `/jobs/${entity}/actions/filter-export`;
    const result = await shop.ask('POST', path, { body, headers: WAIT });
    assert.equal(result.status, 'COMPLETED', JSON.stringify(result));
    const { bytes } = await shop.download(result.outputFiles[0]);
    return { result, bytes, text: bytes.toString() };
  };
  const since = async (entity: Entity, cursor: string, body: object = {}) =>
    exported(entity, { ...body, since: { cursor } });
  const node = async (name: string): Promise<Body> =>
    (await shop.ask('GET', `${CATEGORY}?keyword=${name}`)).data.find((one: Body) => one.name === name);
  const change = async (name: string, body: object) =>
    shop.ask('PUT', CATEGORY, { body: { id: (await node(name)).id, ...body } });
  const attributes = async (elements: object[]) => {
    const { body } = await shop.post('/api-product/v1/product/attribute/bulk', elements, { headers: WAIT });
    assert.deepEqual(body.attributes.failed, []);
  };
  const lines = ({ text }: { text: string }) =>
    text
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '');

  it('of items are whole and say so, when what they write of others was renamed or moved', async () => {
    const first = await exported('product', {});
    assert.equal(first.result.content, undefined);
    await change('Storage', { name: 'Media' });
    const renamed = await since('product', first.result.cursor);
    assert.equal(renamed.result.content, 'WHOLE');
    assert.match(renamed.result.statusMessage, /^the file is whole: attributes or categories were changed/);
    assert.deepEqual(lines(renamed), [
      'Category Node,SKU,Parent SKU,Title,Price',
      'PRIMARY->Media->Disk,a,,One,1',
      'PRIMARY->Paper,b,,Two,',
    ]);
    const asked = await shop.ask('GET', `/jobs/${renamed.result.jobId}/result`);
    assert.equal(asked.content, 'WHOLE', 'also of a client that did not wait');
    const nothing = await since('product', renamed.result.cursor);
    assert.deepEqual(
      [nothing.result.content, nothing.result.statusMessage, nothing.result.rowCount],
      ['DELTA', null, 0],
    );
    await change('Disk', { parentNodeId: (await node('PRIMARY')).nodeId });
    const moved = await since('product', nothing.result.cursor);
    assert.match(moved.text, /^PRIMARY->Disk,a,,One,1$/m);
    await attributes([{ action: 'UPDATE', id: (await attribute('Title')).id, name: 'Name' }]);
    assert.equal((await since('product', moved.result.cursor)).result.content, 'WHOLE');
  });
  const attribute = async (name: string): Promise<Body> =>
    (await shop.ask('GET', '/api-product/v1/product/attribute')).data.find((one: Body) => one.name === name);

  it('of items are changes only, when what was changed is not written', async () => {
    const columns = ['SKU', 'Price'];
    const { result } = await exported('product', { columns });
    await change('Storage', { name: 'Media' });
    await attributes([{ action: 'UPDATE', id: (await attribute('Title')).id, name: 'Name' }]);
    await attributes([{ action: 'UPDATE', name: 'Price', description: 'net', validation: { required: true } }]);
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Price: '2' } }]);
    const { result: delta, text } = await since('product', result.cursor, { columns });
    assert.deepEqual([delta.content, text], ['DELTA', 'SKU,Price,_operation\na,2,UPSERT\n']);
    const all = await since('product', result.cursor);
    assert.equal(all.result.content, 'WHOLE');
  });

  it('of items are whole when a category was moved by which they are chosen', async () => {
    const match = { categoryId: [(await node('Storage')).nodeId] };
    const columns = ['SKU'];
    const { result, text } = await exported('product', { match, columns });
    assert.equal(text, 'SKU\na\n');
    await change('Disk', { parentNodeId: (await node('PRIMARY')).nodeId });
    const after = await since('product', result.cursor, { match, columns });
    assert.deepEqual([after.result.content, after.text], ['WHOLE', 'SKU\n']);
  });

  it('of attributes have those that were created or changed, and the names that none has any more', async () => {
    const { result } = await exported('attribute', {});
    await attributes([
      { name: 'Colour', type: 'OPTIONS', options: ['red', '=1'] },
      { action: 'UPDATE', id: (await attribute('Title')).id, name: 'Name' },
      { name: 'Passing', type: 'TEXT' },
    ]);
    await attributes([{ action: 'DELETE', name: 'Passing' }]);
    const delta = await since('attribute', result.cursor);
    assert.equal(delta.result.content, 'DELTA');
    const [header, ...rows] = lines(delta);
    assert.match(header ?? '', /^Attribute Title,.*,_operation$/);
    assert.deepEqual(
      rows.map((row) => [row.split(',')[0], row.split(',').at(-1)]),
      [
        ['Name', 'UPSERT'],
        ['Colour', 'UPSERT'],
        ['Passing', 'DELETE'],
        ['Title', 'DELETE'],
      ],
    );
    const json = await since('attribute', result.cursor, { format: 'JSONL' });
    const all = lines(json).map((line) => JSON.parse(line));
    assert.deepEqual(all[1].options, ['red', '=1']);
    assert.deepEqual(all.at(-1), { name: 'Title', _operation: 'DELETE' });
    const sheet = await cellsOf((await since('attribute', result.cursor, { format: 'XLSX' })).bytes);
    assert.deepEqual(
      sheet.map((row) => row.at(-1)),
      ['_operation', 'UPSERT', 'UPSERT', 'DELETE', 'DELETE'],
    );
    const nothing = await since('attribute', delta.result.cursor);
    assert.deepEqual(lines(nothing), [header]);
  });

  it('of attributes have those whose role was changed, and those that left the filter', async () => {
    const match = { type: ['TEXT'] };
    const stage = await world.newShop();
    shop = await stage.define({ attributes: ['Title', 'Other', { name: 'Price', type: 'DECIMAL' }] });
    const { result } = await exported('attribute', { match });
    await shop.ask('POST', '/api-product/v1/product/attribute/mapping', {
      body: { mappings: [{ mapping: 'title', name: 'Title' }] },
    });
    await attributes([{ name: 'Other', type: 'INTEGER' }]);
    const json = await since('attribute', result.cursor, { match, format: 'JSONL' });
    assert.deepEqual(
      lines(json).map((line) => {
        const { name, mapping, _operation } = JSON.parse(line);
        return [name, mapping, _operation];
      }),
      [
        ['Title', 'title', 'UPSERT'],
        ['Other', undefined, 'DELETE'],
      ],
    );
  });

  it('of categories have those that were created or changed, and the paths that are gone', async () => {
    const { result } = await exported('category', {});
    const rows = [
      { path: 'Paper', order: 7, itemAttributes: [{ name: 'Title' }, { name: 'Price', mandatory: true }] },
      { path: 'Passing' },
      { path: 'Passing->Below' },
      { path: 'Sale', type: 'ALTERNATE' },
    ];
    const made = await shop.bulkCategories(rows);
    assert.deepEqual(made.body.categories.failed, []);
    for (const name of ['Below', 'Passing']) {
      await shop.ask('DELETE', `${CATEGORY}?id=${(await node(name)).id}`);
    }
    const delta = await since('category', result.cursor);
    assert.equal(delta.result.content, 'DELTA');
    assert.deepEqual(lines(delta), [
      'Category Path,Type,Order,Active,Item Attributes,_operation',
      'PRIMARY->Paper,PRIMARY,7,TRUE,"Title;Price!",UPSERT',
      'Sale,ALTERNATE,0,TRUE,,UPSERT',
      'PRIMARY->Passing,PRIMARY,,,,DELETE',
      'PRIMARY->Passing->Below,PRIMARY,,,,DELETE',
    ]);
    const json = await since('category', result.cursor, { format: 'JSONL', match: { type: 'PRIMARY' } });
    assert.deepEqual(JSON.parse(lines(json).at(-1) ?? ''), {
      path: 'PRIMARY->Passing->Below',
      type: 'PRIMARY',
      _operation: 'DELETE',
    });
    const inactive = await since('category', result.cursor, { match: { status: 'INACTIVE' } });
    assert.match(inactive.text, /^PRIMARY->Paper,PRIMARY,,,,DELETE$/m);
  });

  it('of categories are whole when categories or attributes were renamed or moved', async () => {
    let { result } = await exported('category', {});
    await change('Storage', { name: 'Media' });
    const renamed = await since('category', result.cursor);
    assert.equal(renamed.result.content, 'WHOLE');
    assert.match(renamed.result.statusMessage, /renamed or moved/);
    assert.match(renamed.text, /^Category Path,Type,Order,Active,Item Attributes\n(?:.*\n)*PRIMARY->Media->Disk,/);
    ({ result } = renamed);
    await attributes([{ action: 'UPDATE', id: (await attribute('Title')).id, name: 'Name' }]);
    assert.match((await since('category', result.cursor)).text, /^PRIMARY->Paper,PRIMARY,.*,Name$/m);
  });

  it('of attributes and categories are read by imports, but for the rows of what is gone', async () => {
    const cursors = {
      attribute: (await exported('attribute', {})).result.cursor,
      category: (await exported('category', {})).result.cursor,
    };
    await attributes([
      { name: 'Colour', type: 'OPTIONS', options: ['red'] },
      { action: 'UPDATE', name: 'Title', description: 'changed' },
    ]);
    const made = await shop.bulkCategories([{ path: 'Paper', itemAttributes: [{ name: 'Colour' }] }, { path: 'New' }]);
    assert.deepEqual(made.body.categories.failed, []);
    for (const entity of ['attribute', 'category'] as const) {
      for (const format of ['CSV', 'JSONL'] as const) {
        const { text } = await since(entity, cursors[entity], { format });
        const type = `${entity.toUpperCase()}_IMPORT`;
        const job = await shop.importFile(`changes.${format.toLowerCase()}`, text, {}, { type });
        assert.deepEqual([job.status, job.errors, job.unchanged], ['COMPLETED', [], 2], `${entity} ${format}\n${text}`);
      }
    }
  });

  it('of attributes and categories refuse a profile, a wrong cursor and an address', async () => {
    const { result } = await exported('attribute', {});
    const { cursor } = result;
    for (const entity of ['attribute', 'category']) {
      const ask = (body: object) => shop.post(`/jobs/${entity}/actions/filter-export`, body);
      const refused = await ask({ since: { cursor }, profile: 'any' });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /no form for what was deleted/);
      assert.equal((await ask({ since: { cursor: 'nonsense' } })).status, 400);
      assert.equal((await ask({ since: { cursor }, publishAs: 'Catalog' })).status, 400);
    }
  });

  it('are whole when their changes were pruned while they waited', async () => {
    const { result } = await exported('product', {});
    const { result: delta } = await since('product', result.cursor);
    const { options } = await world.db('job').where({ id: delta.jobId }).first('options');
    const spec = exportSpecSchema.parse(options);
    assert.ok(spec.entity === 'product' && spec.since !== undefined);
    assert.equal(await whyWhole(world.db, shop.siteId, spec), null);
    await world
      .db('change_feed')
      .where({ site_id: shop.siteId })
      .update({ pruned_position: spec.since.position + 1 });
    assert.match((await whyWhole(world.db, shop.siteId, spec)) ?? '', /no longer kept/);
  });
});
