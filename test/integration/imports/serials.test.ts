/** Numbers of SERIAL attributes: each given once, and the same whoever applies which row. */
import assert from 'node:assert/strict';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SERIAL = { name: 'Number', type: 'SERIAL', serialStart: 100, validation: { incrementBy: 10 } };

describe('SERIAL numbers', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({ attributes: ['Title', SERIAL], categories: { Shirts: ['Title', 'Number'] } });
  });

  const numbers = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries((await shop.items()).map(({ sku, attributes }) => [sku, attributes.Number]));

  it('follow the rows of a request, with gaps where rows fail', async () => {
    await shop.bulk('insert', [
      { sku: 'a', nodeName: 'Shirts' },
      { sku: 'bad', nodeName: 'Nowhere' },
      { sku: 'b', nodeName: 'Shirts' },
    ]);
    assert.deepEqual(await numbers(), { a: 100, b: 120 });
  });

  it('follow the rows of a file, chunks apart', async () => {
    await shop.importFile('items.csv', 'SKU,Category Node\na,Shirts\nb,Shirts\nc,Shirts\nd,Shirts\ne,Shirts');
    assert.deepEqual(await numbers(), { a: 100, b: 110, c: 120, d: 130, e: 140 });
  });

  it('are never given twice, whatever job asks', async () => {
    const rows = (job: number) => [1, 2, 3].map((row) => ({ sku: `${job}-${row}`, nodeName: 'Shirts' }));
    await Promise.all([1, 2, 3, 4, 5].map((job) => shop.bulk('insert', rows(job))));
    const given = Object.values(await numbers());
    assert.equal(given.length, 15);
    assert.equal(new Set(given).size, 15);
  });

  it('stay with an item that is changed', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }]);
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'new' } }]);
    assert.deepEqual(await numbers(), { a: 100 });
  });

  it('are not given again after a revert, and come back with the item that the revert of the revert brings back', async () => {
    const wait = { headers: { prefer: 'wait=25' } };
    const first = await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }]);
    const { body: revert } = await shop.post(`/jobs/${first.body.jobId}/actions/revert`, {}, wait);
    assert.deepEqual([revert.status, await numbers()], ['COMPLETED', {}]);
    await shop.bulk('insert', [{ sku: 'b', nodeName: 'Shirts' }]);
    await shop.post(`/jobs/${revert.id}/actions/revert`, {}, wait);
    assert.deepEqual(await numbers(), { a: 100, b: 110 });
  });

  it('that a row brings are kept, and what comes later lies past them', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts', attributes: { Number: 5000 } }]);
    await shop.bulk('insert', [{ sku: 'b', nodeName: 'Shirts' }]);
    const { a, b } = await numbers();
    assert.equal(a, 5000);
    assert.ok(Number(b) > 5000);
  });

  it('begin with the first that the attribute names, in files with and without a header, and go on from there', async () => {
    await shop.importFile('items.jsonl', '{"sku":"a","nodeName":"Shirts"}\n');
    await shop.importFile('items.csv', 'SKU,Category Node\nb,Shirts\nbad,Nowhere\nc,Shirts\n', { onError: 'skip' });
    await shop.importFile('items.json', '[{"sku":"d","nodeName":"Shirts"}]', { onError: 'abort' });
    assert.deepEqual(await numbers(), { a: 100, b: 110, c: 130, d: 140 });
  });

  it('go on by the new step, and not before a start that is raised; one that is lowered doubles none', async () => {
    const change = (fields: object) => shop.bulkAttributes([{ action: 'UPDATE', name: 'Number', ...fields }]);
    const insert = (sku: string) => shop.bulk('insert', [{ sku, nodeName: 'Shirts' }]);
    await insert('a');
    await change({ validation: { incrementBy: 1 } });
    await insert('b');
    await change({ serialStart: 5000 });
    await insert('c');
    await change({ serialStart: 1 });
    await insert('d');
    assert.deepEqual(await numbers(), { a: 100, b: 110, c: 5000, d: 5001 });
  });

  it('end where numbers lose their digits: rows without one of their own fail, and none is given twice', async () => {
    const last = Number.MAX_SAFE_INTEGER;
    await shop.bulkAttributes([{ ...SERIAL, serialStart: last - 10 }]);
    const rows = ['a', 'b', 'c'].map((sku) => ({ sku, nodeName: 'Shirts' }));
    const { body } = await shop.bulk('insert', rows);
    assert.deepEqual(
      body.failed.map(({ sku, code }: { sku: string; code: string }) => [sku, code]),
      [['c', 'VALUE_RANGE']],
    );
    assert.match(body.failed[0].message, /the numbers of "Number" are used up/);
    const file = 'SKU,Category Node,Number\nd,Shirts,\ne,Shirts,7\n';
    const outcome = await shop.importFile('items.csv', file);
    assert.deepEqual(places(outcome), [[2, 'Number', 'VALUE_RANGE']]);
    assert.deepEqual(await numbers(), { a: last - 10, b: last, e: 7 });
  });

  it('that are unique are told from those that rows of the same input bring', async () => {
    await shop.bulkAttributes([{ action: 'UPDATE', name: 'Number', validation: { unique: true } }]);
    const rows =
      'SKU,Category Node,Number\na,Shirts,\nb,Shirts,120\nc,Shirts,100\nd,Shirts,\ne,Shirts,120\nf,Shirts,\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [
      [4, 'Number', 'VALUE_NOT_UNIQUE'],
      [6, 'Number', 'VALUE_NOT_UNIQUE'],
    ]);
    assert.deepEqual(await numbers(), { a: 100, b: 120, d: 130, f: 150 });
  });

  it('are not used up by a dry run that is not carried out', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }], { query: 'validateOnly=true' });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Shirts' }]);
    assert.equal(Object.keys(await numbers()).length, 1);
  });
});

describe('SERIAL numbers of a file', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { WORKER_CHUNK_ROWS: '1' } });
  });
  after(() => world.stop());

  it('are those of its rows, whoever applies which chunk when', async () => {
    const shop = await world.newShop();
    const workers = await world.startWorkers();
    await shop.define({ attributes: [SERIAL], categories: { Shirts: ['Number'] } });
    await workers.stop();
    const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((sku) => `${sku},${sku === 'c' ? 'Nowhere' : 'Shirts'}`);
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'i.csv', `SKU,Category Node\n${rows.join('\n')}\n`);
    const ahead = [...outboxEntries];
    const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
    // The last first, and two at a time.
    while (ahead.length > 0) await Promise.all(ahead.splice(-2).map((step) => runStep(services, step)));
    const job = await world.db('job').where({ id: jobId }).first('status', 'created_count');
    assert.deepEqual(job, { status: 'COMPLETED_PARTIALLY', created_count: 5 });
    assert.deepEqual(await shop.values('Number'), { a: 100, b: 110, d: 130, e: 140, f: 150 });
  });
});
