/** Values of unique attributes: of several rows that claim one, the earlier has it, whatever the chunks. */
import assert from 'node:assert/strict';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATALOG = {
  attributes: [
    { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
    { name: 'Slot', type: 'DECIMAL', validation: { unique: true } },
    'Title',
  ],
  categories: { Disk: ['Gtin', 'Slot', 'Title'] },
};

describe('unique values', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(CATALOG);
  });

  /** Rows of `SKU=value`. */
  const importRows = (...rows: string[]): Promise<Outcome> =>
    shop.importFile(
      'items.csv',
      ['SKU,Category Node,Gtin', ...rows.map((row) => row.replace('=', ',Disk,'))].join('\n'),
    );
  const gtins = () => shop.values('Gtin');
  const reservations = async (): Promise<number> =>
    Number((await world.db('item_unique_value').where({ site_id: shop.siteId }).count())[0]?.count);

  it('the earlier row has it, and the later one names it, in one chunk and chunks apart', async () => {
    const outcome = await importRows('a=1', 'b=1', 'c=2', 'd=3', 'e=2', 'f=1');
    assert.deepEqual(places(outcome), [
      [3, 'Gtin', 'VALUE_NOT_UNIQUE'],
      [6, 'Gtin', 'VALUE_NOT_UNIQUE'],
      [7, 'Gtin', 'VALUE_NOT_UNIQUE'],
    ]);
    const messages = outcome.errors.map(({ message }) => message);
    assert.match(messages[0] ?? '', /"Gtin" must be unique, and row 2 \("a"\) has the value "1" already/);
    assert.match(messages[1] ?? '', /the item "c" has the value "2" already/);
    assert.deepEqual(await gtins(), { a: '1', c: '2', d: '3' });
    assert.equal(await reservations(), 3);
  });

  it('a value that an item of an earlier job has stays with it', async () => {
    await importRows('a=1');
    const { body } = await shop.bulk('upsert', [
      { sku: 'b', nodeName: 'Disk', attributes: { Gtin: '1' } },
      { sku: 'c', nodeName: 'Disk', attributes: { Gtin: '2' } },
    ]);
    assert.deepEqual([body.failed[0].index, body.failed[0].code], [0, 'VALUE_NOT_UNIQUE']);
    assert.deepEqual(await gtins(), { a: '1', c: '2' });
  });

  it('jobs sent at once: one of them has the value', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((sku) => shop.bulk('insert', [{ sku, nodeName: 'Disk', attributes: { Gtin: '1' } }])),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422]);
    assert.equal((await shop.items()).length, 1);
  });

  it('the same value in two forms is one', async () => {
    const rows = 'SKU,Category Node,Slot\na,Disk,1.50\nb,Disk,+1.5\nc,Disk,15e-1\nd,Disk,1.51\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [3, 4],
    );
  });

  it('each unique attribute has values of its own', async () => {
    const rows = 'SKU,Category Node,Gtin,Slot\na,Disk,1,1\nb,Disk,2,1\nc,Disk,1,2\nd,Disk,1,1\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [
      [3, 'Slot', 'VALUE_NOT_UNIQUE'],
      [4, 'Gtin', 'VALUE_NOT_UNIQUE'],
      [5, 'Gtin', 'VALUE_NOT_UNIQUE'],
      [5, 'Slot', 'VALUE_NOT_UNIQUE'],
    ]);
  });

  it('a row that failed claims nothing', async () => {
    const rows = 'SKU,Category Node,Gtin,Slot\na,Disk,1,x\nb,Disk,1,\nc,Nowhere,2,\nd,Disk,2,\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [2, 4],
    );
    assert.deepEqual(await gtins(), { b: '1', d: '2' });
  });

  it('an item keeps its own value when it comes again, and gives it up for another', async () => {
    await importRows('a=1', 'b=2');
    const again = await importRows('a=1', 'b=2');
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 2]);
    const moved = await importRows('a=3', 'c=1');
    assert.deepEqual([moved.status, moved.created, moved.updated], ['COMPLETED', 1, 1]);
    assert.deepEqual(await gtins(), { a: '3', b: '2', c: '1' });
    assert.equal(await reservations(), 3);
  });

  it('a value that a row of the job gives up is free for its other rows: the first of them has it', async () => {
    await importRows('a=1', 'b=2');
    const outcome = await importRows('a=2', 'b=3', 'c=2');
    assert.deepEqual(places(outcome), [[4, 'Gtin', 'VALUE_NOT_UNIQUE']]);
    assert.deepEqual(await gtins(), { a: '2', b: '3' });
    assert.equal(await reservations(), 2);
  });

  it('a value that is cleared is free', async () => {
    await importRows('a=1');
    const outcome = await importRows('a=NULL', 'b=1');
    assert.deepEqual([outcome.status, outcome.created, outcome.updated], ['COMPLETED', 1, 1]);
    assert.deepEqual(await gtins(), { a: undefined, b: '1' });
    assert.equal(await reservations(), 1);
  });

  it('an update that leaves the value alone keeps it claimed', async () => {
    await importRows('a=1');
    await shop.importFile('items.csv', 'SKU,Title\na,new\n');
    assert.deepEqual(places(await importRows('b=1')), [[2, 'Gtin', 'VALUE_NOT_UNIQUE']]);
  });

  it('an attribute of which two items share a value cannot become unique, and is named as it goes on to be', async () => {
    await shop.importFile('items.csv', 'SKU,Category Node,Title\na,Disk,x\nb,Disk,x\n');
    const { id } = await world.db('attribute').where({ site_id: shop.siteId, name: 'Title' }).first('id');
    const { body } = await shop.bulkAttributes([
      { action: 'UPDATE', id, name: 'Heading', validation: { unique: true } },
    ]);
    const outcome = await shop.outcome(body.jobId);
    assert.deepEqual(places(outcome), [[1, 'validation.unique', 'VALUE_NOT_UNIQUE']]);
    const both = 'the items "a" and "b" both have the value "x"';
    assert.match(outcome.errors[0]?.message ?? '', new RegExp(`^"Title" cannot be made unique: ${both}`));
    assert.deepEqual(await shop.values('Title'), { a: 'x', b: 'x' });
    assert.equal(await reservations(), 0);
  });

  it('a dry run and an aborted request claim nothing', async () => {
    const elements = [{ sku: 'a', nodeName: 'Disk', attributes: { Gtin: '1' } }, { sku: '' }];
    await shop.bulk('insert', elements, { query: 'validateOnly=true' });
    await shop.bulk('insert', elements, { query: 'onError=abort' });
    assert.equal(await reservations(), 0);
  });

  it('variants claim theirs after the items, in the order of their rows', async () => {
    const rows = 'SKU,Category Node,Parent SKU,Gtin\nv1,Disk,p,1\np,Disk,,2\nv2,Disk,p,1\nq,Disk,,2\nr,Disk,,3\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [4, 5],
    );
    assert.deepEqual(await gtins(), { p: '2', r: '3', v1: '1' });
  });
});
