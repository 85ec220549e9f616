import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed } from '../../support/faults/doomed-worker.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const HEADER = 'Category Node,SKU,Title';
const row = (sku: string, title = 'a title') => ({ sku, nodeName: 'Shelf', attributes: { Title: title } });
const line = (sku: string, title = 'a title') => `Shelf,${sku},${title}`;
const file = (...lines: readonly string[]) => `${[HEADER, ...lines].join('\n')}\n`;

interface Told {
  readonly event: string;
  readonly skus: readonly string[];
}

describe('the events of items', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ environment: { WORKER_CHUNK_ROWS: '700' } });
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
  });
  after(() => world.stop());

  const hear = (events: readonly string[] = ['*'], options: CallOptions = {}) =>
    shop.ask('POST', '/api/v2/webhook', { ...options, body: webhookBody({ source: 'CATALOG', events }) });
  async function told(): Promise<Told[]> {
    const events = await world
      .db('event')
      .where({ site_id: shop.siteId })
      .andWhereLike('event', 'ITEM_%')
      .orderBy('id');
    const all = events.map(({ event, payload }) => ({ event, skus: JSON.parse(payload).skus as string[] }));
    return all.sort((a, b) => (a.event + a.skus[0] < b.event + b.skus[0] ? -1 : 1));
  }
  /** Every SKU with what was told of it, each as often as it was. */
  const changes = async () => (await told()).flatMap(({ event, skus }) => skus.map((sku) => `${event} ${sku}`)).sort();

  it('tell of what a request created, changed and deleted, of no unchanged row and of none that failed', async () => {
    await hear();
    await shop.bulk('insert', [row('A'), row('B'), { sku: 'C', nodeName: 'Nowhere' }]);
    await shop.bulk('upsert', [row('A'), row('B', 'another'), row('D')]);
    await shop.bulk('delete' as 'update', { skus: ['D', 'unknown'] });
    assert.deepEqual(await changes(), [
      'ITEM_CREATED A',
      'ITEM_CREATED B',
      'ITEM_CREATED D',
      'ITEM_DELETED D',
      'ITEM_UPDATED B',
    ]);
    const [event] = await world.db('event').where({ site_id: shop.siteId, event: 'ITEM_DELETED' });
    const { jobId, type, ...rest } = JSON.parse(event.payload);
    assert.match(jobId, /^[0-9a-f]{24}$/);
    const gone = ['Title', 'createdOn', 'nodeId', 'status', 'type'];
    const changesUrl = `/jobs/${jobId}/changes`;
    assert.deepEqual([type, rest], ['ITEM_BULK_DELETE', { skus: ['D'], changed: gone, changesUrl }]);
    const [updated] = await world.db('event').where({ site_id: shop.siteId, event: 'ITEM_UPDATED' });
    const told = JSON.parse(updated.payload);
    assert.deepEqual([told.skus, told.changed], [['B'], ['Title']]);
    assert.deepEqual((await shop.ask('GET', told.changesUrl)).data.length, 2);
    assert.equal(event.deliveries, 1);
  });

  it('say when more has changed than they name, and pass filters that may ask for one of these names', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `${'x'.repeat(240)} ${String(n).padStart(3, '0')}`);
    await shop.define({ attributes: [...names, 'zuletzt'], categories: { Wide: [...names, 'zuletzt'] } });
    await shop.bulk('insert', [{ sku: 'W', nodeName: 'Wide' }]);
    const hearing = (filter: object) =>
      shop.ask('POST', '/api/v2/webhook', {
        body: webhookBody({ source: 'CATALOG', events: ['ITEM_UPDATED'], filter }),
      });
    const last = await hearing({ path: '/changed', contains: 'zuletzt' });
    const other = await hearing({
      all: [
        { path: '/changed', contains: 'zuletzt' },
        { path: '/jobId', equals: 'no' },
      ],
    });
    const title = await hearing({ path: '/changed', contains: 'Title' });
    const values = Object.fromEntries([...names, 'zuletzt'].map((name) => [name, 'v']));
    await shop.bulk('update', [{ sku: 'W', attributes: values }]);
    await shop.bulk('update', [{ sku: 'W', attributes: { zuletzt: 'w' } }]);
    const events = await world.db('event').where({ site_id: shop.siteId, event: 'ITEM_UPDATED' });
    const payloads = events.map(({ payload }) => JSON.parse(payload));
    const [short, cut] = payloads.sort((one, other) => one.changed.length - other.changed.length);
    assert.equal(cut.changedTruncated, true);
    assert.ok(!cut.changed.includes('zuletzt') && cut.changed.length > 50);
    assert.deepEqual([short.changed, 'changedTruncated' in short], [['zuletzt'], false]);
    const heard = async ({ webhookId }: { webhookId: string }) =>
      (await world.db('delivery').where({ definition_id: webhookId }).orderBy('event_id').pluck('event_id')).length;
    assert.deepEqual(await Promise.all([last, other, title].map(heard)), [2, 0, 1]);
  });

  it('tell of at most 500 SKUs each, and of every row of a file once', async () => {
    await hear(['ITEM_CREATED', 'ITEM_UPDATED']);
    const skus = Array.from({ length: 1_500 }, (_, n) => `S${String(n).padStart(4, '0')}`);
    await shop.importFile('a.csv', file(...skus.map((sku) => line(sku))));
    const events = await told();
    assert.deepEqual(
      events.map(({ event, skus: of }) => [event, of.length]).sort(),
      [100, 200, 200, 500, 500].map((count) => ['ITEM_CREATED', count]),
    );
    assert.deepEqual(
      await changes(),
      skus.map((sku) => `ITEM_CREATED ${sku}`),
    );
  });

  it('fit into their payload, whatever the SKUs are', async () => {
    await hear(['ITEM_CREATED']);
    const skus = Array.from({ length: 600 }, (_, n) => `${'€'.repeat(250)}${n}`);
    await shop.bulk(
      'insert',
      skus.map((sku) => row(sku)),
    );
    const events = await world.db('event').where({ site_id: shop.siteId });
    assert.ok(events.length > 2 && events.every(({ payload }) => Buffer.byteLength(payload) <= 256 * 1024));
    assert.equal((await changes()).length, 600);
  });

  it('are none where nobody listens to any of them, or only under another channel or stage', async () => {
    await hear(['JOB_COMPLETED']);
    await hear(['*'], { context: { stage: 'test' } });
    await shop.bulk('insert', [row('A')]);
    assert.deepEqual(await told(), []);
    await hear(['*'], { context: { channel: 7 } });
    await shop.bulk('insert', [row('B')]);
    const heard = world.db('delivery').join('event', 'event.id', 'event_id').where('event.site_id', shop.siteId);
    assert.deepEqual(await heard.distinct('event').pluck('event'), ['JOB_COMPLETED']);
  });

  it('are none of a dry run, nor of what is undone as a whole', async () => {
    await hear(['ITEM_CREATED']);
    await shop.bulk('insert', [row('A')], { query: 'validateOnly=true' });
    await shop.bulk('insert', [row('A'), { sku: 'B', nodeName: 'Nowhere' }], { query: 'onError=abort' });
    await shop.importFile('a.csv', file(line('A')), { validateOnly: true });
    await shop.importFile('a.csv', file(line('A'), 'Nowhere,B,b'), { onError: 'abort' });
    assert.deepEqual(await told(), []);
    await shop.bulk('insert', [row('A')], { query: 'onError=abort' });
    await shop.importFile('a.csv', file(line('B'), line('C')), { onError: 'abort' });
    assert.deepEqual(await changes(), ['ITEM_CREATED A', 'ITEM_CREATED B', 'ITEM_CREATED C']);
  });

  it('are as many as the rows that stay, wherever the worker is cut off', async () => {
    await hear(['ITEM_CREATED', 'JOB_COMPLETED']);
    const { messages } = await trial('whole', Number.MAX_SAFE_INTEGER, 'unsent');
    assert.ok(messages > 20);
    for (let at = 1; at <= messages; at += 7) await trial(`cut${at}`, at, at % 2 === 0 ? 'unsent' : 'unanswered');
  });

  /** One job, by a worker that is cut off at that message and then by others. */
  async function trial(mark: string, at: number, lose: 'unsent' | 'unanswered') {
    const skus = [`${mark}-A`, `${mark}-B`];
    const content = file(...skus.map((sku) => line(sku)));
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'a.csv', content, 'insert');
    const doom = await runDoomed(world.services, outboxEntries, { at, lose });
    const ended = async () => {
      await reconcile(world.services);
      return (await world.db('job').where({ id: jobId }).first()).completed_at !== null;
    };
    await until('others end the job', ended, 20_000);
    const of = (await changes()).filter((change) => change.startsWith(`ITEM_CREATED ${mark}-`));
    assert.deepEqual(
      of,
      skus.map((sku) => `ITEM_CREATED ${sku}`),
      `cut off at message ${at}`,
    );
    const ends = world.db('event').where({ site_id: shop.siteId, event: 'JOB_COMPLETED' });
    assert.equal((await ends.whereLike('payload', `%${jobId}%`)).length, 1, `cut off at message ${at}`);
    return doom;
  }
});
