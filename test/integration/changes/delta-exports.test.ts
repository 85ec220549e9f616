/** Exports of what has changed: the file of everything, and then only what is new, changed or gone. */
import assert from 'node:assert/strict';
import { createPartitions, dropPartitions } from '../../../src/domain/changes/partitions.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];

const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;

describe('exports of what has changed', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    // No maintenance: it drops old changes each minute, and a test here does so itself.
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.bulk(
      'insert',
      ['a', 'b', 'c'].map((sku) => ({ sku, nodeName: 'Disk', attributes: { Title: sku } })),
    );
  });

  const exported = async (body: object): Promise<{ result: Body; text: string }> => {
    const headers = { prefer: 'wait=25' };
    const result = await shop.ask('POST', '/jobs/product/actions/filter-export', { body, headers });
    assert.equal(result.status, 'COMPLETED', JSON.stringify(result));
    const { bytes } = await shop.download(result.outputFiles[0]);
    return { result, text: bytes.toString() };
  };
  const remove = (skus: string[]) =>
    shop.post('/api-product/v1/product/bulk/delete', { skus }, { headers: { prefer: 'wait=25' } });

  it('have the items that were created or changed since the cursor of an earlier one, and those that are gone', async () => {
    const { result } = await exported({});
    await shop.bulk('upsert', [
      { sku: 'a', attributes: { Title: 'A' } },
      { sku: 'b', attributes: { Title: 'b' } },
      { sku: 'n', nodeName: 'Disk' },
    ]);
    await remove(['c']);
    const delta = await exported({ since: { cursor: result.cursor } });
    assert.equal(
      delta.text,
      'Category Node,SKU,Parent SKU,Title,_operation\nPRIMARY->Disk,a,,A,UPSERT\nPRIMARY->Disk,n,,,UPSERT\n,c,,,DELETE\n',
    );
    assert.equal(delta.result.rowCount, 3);
    const nothing = await exported({ since: { cursor: delta.result.cursor }, format: 'JSONL' });
    assert.equal(nothing.text, '');
    const lines = await exported({ since: { cursor: result.cursor }, format: 'JSONL', columns: ['SKU'] });
    assert.deepEqual(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { sku: 'a', type: 'ITEM', _operation: 'UPSERT' },
        { sku: 'n', type: 'ITEM', _operation: 'UPSERT' },
        { sku: 'c', _operation: 'DELETE' },
      ],
    );
    assert.equal((await exported({ since: { cursor: result.cursor }, format: 'XLSX' })).result.rowCount, 3);
  });

  it('leave out what a revert has made a bundle again, and have it among those that are gone', async () => {
    const WAIT = { headers: { prefer: 'wait=25' } };
    await shop.bulk('insert', [
      { sku: 'set', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'a', quantity: 2 }] },
    ]);
    const removed = await remove(['set']);
    const created = await shop.post('/api-product/v1/product/bulk/upsert', [{ sku: 'set', nodeName: 'Disk' }], WAIT);
    const { result } = await exported({});
    const jobIds = [removed, created].map(({ body }) => body.id ?? body.jobId);
    const undo = await shop.post('/jobs/actions/revert', { jobIds }, WAIT);
    assert.equal(undo.body.status, 'COMPLETED', JSON.stringify(undo.body));
    const lines = await exported({ since: { cursor: result.cursor }, columns: ['SKU'] });
    assert.equal(lines.text, 'SKU,_operation\nset,DELETE\n');
  });

  it('begin after what an export has seen, not after its end: what was committed while it ran is in no file else', async () => {
    const { result } = await exported({});
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'A' } }]);
    await shop.ask('GET', '/changes/cursor');
    // As if writing its file had taken until now.
    await world.db('job').where({ id: result.jobId }).update({ completed_at: world.db.fn.now() });
    const { text } = await exported({ since: { jobId: result.jobId }, columns: ['SKU', 'Title'] });
    assert.equal(text, 'SKU,Title,_operation\na,A,UPSERT\n');
  });

  it('begin after a job, or at a time', async () => {
    // Positions are given here, and at the latest a moment after the commit.
    await shop.ask('GET', '/changes/cursor');
    const before = new Date().toISOString();
    const { body } = await shop.post('/api-product/v1/product/bulk/upsert', [{ sku: 'a', attributes: { Title: '1' } }]);
    await shop.outcome(body.jobId);
    await shop.ask('GET', '/changes/cursor');
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: '2' } }]);
    const skus = ({ text }: { text: string }) => text.match(/(?<=^PRIMARY->)Disk,\w/gm);
    assert.deepEqual(skus(await exported({ since: { jobId: body.jobId } })), ['Disk,b']);
    assert.deepEqual(skus(await exported({ since: { time: before } })), ['Disk,a', 'Disk,b']);
    assert.equal(skus(await exported({ since: { time: new Date(Date.now() + 60_000).toISOString() } })), null);
  });

  it('do not list an item as gone that is there again', async () => {
    const { result } = await exported({});
    await remove(['c']);
    await shop.bulk('insert', [{ sku: 'c', nodeName: 'Disk' }]);
    assert.match((await exported({ since: { cursor: result.cursor } })).text, /\nPRIMARY->Disk,c,,,UPSERT\n$/);
  });

  it('list an item as gone that does not meet the filter any more, so that files under a filter add up', async () => {
    const match = { properties: [{ name: 'Title', op: 'IN', value: ['a', 'b'] }] };
    const { result } = await exported({ match });
    await shop.bulk('upsert', [
      { sku: 'a', attributes: { Title: 'sold out' } },
      { sku: 'c', attributes: { Title: 'b' } },
    ]);
    const { text } = await exported({ match, since: { cursor: result.cursor } });
    assert.equal(text, 'Category Node,SKU,Parent SKU,Title,_operation\nPRIMARY->Disk,c,,b,UPSERT\n,a,,,DELETE\n');
    const { text: named } = await exported({ match: { sku: ['b', 'c'] }, since: { cursor: result.cursor } });
    assert.match(named, /Title,_operation\nPRIMARY->Disk,c,,b,UPSERT\n$/);
  });

  it('are refused since a time, or since a job that changed nothing, when a change after it was dropped', async () => {
    const { db } = world;
    const { siteId } = shop;
    await shop.ask('GET', '/changes/cursor');
    const long = Date.now() - 2 * RETENTION_DAYS * DAY_MS;
    const at = (days: number) => new Date(long + days * DAY_MS).toISOString();
    await createPartitions(db, new Date(), new Date(long));
    for (const table of ['change_set', 'item_change', 'definition_change']) {
      await db(table)
        .where({ site_id: siteId })
        .update({ at: at(0) });
    }
    await db('change_set')
      .where({ site_id: siteId })
      .update({ numbered_at: at(0) });
    /** A job that has ended so many days after these changes, and has changed nothing. */
    const idle = async (days: number): Promise<string> => {
      const { body } = await shop.post('/api-product/v1/product/bulk/upsert', [
        { sku: 'a', attributes: { Title: 'a' } },
      ]);
      assert.equal((await shop.outcome(body.jobId)).unchanged, 1);
      await db('job')
        .where({ id: body.jobId })
        .update({ completed_at: at(days) });
      return body.jobId;
    };
    const [before, after] = [await idle(-1), await idle(1)];
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: 'B' } }]);
    const skus = async (since: object) => (await exported({ since })).text.match(/(?<=^PRIMARY->)Disk,\w/gm);
    for (const since of [{ time: at(-1) }, { jobId: before }]) assert.equal((await skus(since))?.length, 3);
    assert.notDeepEqual(await dropPartitions(db, new Date(), RETENTION_DAYS), []);
    for (const since of [{ time: at(-1) }, { time: at(0) }, { jobId: before }]) {
      const { status, body } = await shop.post('/jobs/product/actions/filter-export', { since });
      assert.equal(status, 410, JSON.stringify({ since, body }));
      assert.match(body.message, /no longer kept.*begin again with GET \/changes\/cursor/);
    }
    for (const since of [{ time: at(1) }, { jobId: after }]) assert.deepEqual(await skus(since), ['Disk,b']);
  });

  it('refuse what names no place, several, or a profile besides', async () => {
    const ask = (body: object) => shop.post('/jobs/product/actions/filter-export', body);
    const { result } = await exported({});
    const { cursor } = result;
    assert.equal((await ask({ since: {} })).status, 400);
    assert.equal((await ask({ since: { cursor, time: new Date().toISOString() } })).status, 400);
    assert.equal((await ask({ since: { cursor }, profile: 'akeneo' })).status, 400);
    assert.equal((await ask({ since: { cursor: 'nonsense' } })).status, 400);
    assert.equal((await ask({ since: { jobId: '0123456789abcdef01234567' } })).status, 404);
    // The world fails at its end if the description does not name one of these.
    const { jobId } = await shop.hold('SKU\na\n');
    for (const entity of ['product', 'bundle', 'attribute', 'category']) {
      const { status } = await shop.post(`/jobs/${entity}/actions/filter-export`, { since: { jobId } });
      assert.equal(status, 409, entity);
    }
    await world.db('change_feed').where({ site_id: shop.siteId }).update({ pruned_position: 99, last_position: 99 });
    assert.deepEqual((await ask({ since: { cursor } })).status, 410);
  });
});
