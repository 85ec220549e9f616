/** The status of items follows what their category makes mandatory, by a job in the line of the site. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

describe('the status of items', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', 'Colour', { name: 'Size', type: 'TEXT', validation: { inheritable: true } }],
      categories: {
        Storage: ['Title', 'Colour', 'Size'],
        'Storage->Disk': [],
        'Storage->Tape': [],
        Other: ['Title'],
      },
    });
  });

  const assign = async (path: string, itemAttributes: readonly object[]) =>
    shop.ask('POST', `${CATEGORY}/item-attribute`, { body: { nodeId: await shop.category(path), itemAttributes } });
  const jobs = async () => (await shop.ask('GET', '/jobs/product?type=ITEM_STATUS_UPDATE&limit=100')).data;
  const settled = () => until('no status job is open', async () => (await jobs()).every(isEnded), 60_000);
  const isEnded = ({ completedAt }: { completedAt: string | null }) => completedAt !== null;
  const statuses = async () => Object.fromEntries((await shop.items()).map(({ sku, status }) => [sku, status]));

  it('follows an assignment that becomes mandatory, below the category too, and one that no longer is', async () => {
    await shop.bulk('insert', [
      { sku: 'A', nodeName: 'Storage->Disk', attributes: { Title: 'a', Colour: 'red' } },
      { sku: 'B', nodeName: 'Storage->Tape', attributes: { Title: 'b' } },
      { sku: 'C', nodeName: 'Other', attributes: { Title: 'c' } },
    ]);
    await assign('Storage', [{ name: 'Colour', mandatory: true }]);
    await settled();
    assert.deepEqual(await statuses(), { A: 'LIVE', B: 'DRAFT', C: 'LIVE' });
    const [job] = await jobs();
    assert.deepEqual([job.status, job.progressTracker.updatedCount], ['COMPLETED', 1]);
    await assign('Storage', [{ name: 'Colour', mandatory: false }]);
    await settled();
    assert.deepEqual(await statuses(), { A: 'LIVE', B: 'LIVE', C: 'LIVE' });
  });

  it('follows imported assignments and moves, and heeds what variants inherit', async () => {
    await shop.bulk('insert', [
      { sku: 'P', nodeName: 'Storage->Disk', attributes: { Title: 'p', Size: 'L' } },
      { sku: 'V', nodeName: 'Storage->Disk', parentSku: 'P', attributes: { Title: 'v' } },
      { sku: 'X', nodeName: 'Storage->Disk', attributes: { Title: 'x' } },
    ]);
    const itemAttributes = [{ name: 'Size', mandatory: true }];
    await shop.bulkCategories([{ name: 'Disk', parentNodeName: 'Storage', itemAttributes }]);
    await settled();
    assert.deepEqual(await statuses(), { P: 'LIVE', V: 'LIVE', X: 'DRAFT' });
    await shop.bulkCategories([{ name: 'Disk', parentNodeName: 'Storage', itemAttributes: null }]);
    await settled();
    assert.deepEqual(await statuses(), { P: 'LIVE', V: 'LIVE', X: 'LIVE' });
    await assign('Other', [{ name: 'Size', mandatory: true }]);
    const [nodeId, parentNodeId] = [await shop.category('Storage->Disk'), await shop.category('Other')];
    await shop.ask('PUT', CATEGORY, { body: { nodeId, parentNodeId } });
    await settled();
    assert.deepEqual(await statuses(), { P: 'LIVE', V: 'LIVE', X: 'DRAFT' });
  });

  it('follows the deletion of an attribute that was mandatory', async () => {
    await shop.define({ attributes: ['Fabric'], categories: { Storage: ['Fabric!'] } });
    await shop.bulk('insert', [
      { sku: 'A', nodeName: 'Storage->Disk', attributes: { Title: 'a' } },
      { sku: 'B', nodeName: 'Storage->Tape' },
    ]);
    assert.deepEqual(await statuses(), { A: 'DRAFT', B: 'DRAFT' });
    const remove = () => shop.bulkAttributes([{ action: 'DELETE', name: 'Fabric' }]);
    assert.equal((await remove()).body.attributes.success.length, 1);
    await settled();
    assert.deepEqual(await statuses(), { A: 'LIVE', B: 'LIVE' });
  });

  it('follows an attribute that variants inherit from now on, or no longer', async () => {
    await shop.define({ attributes: ['Fabric'], categories: { 'Storage->Disk': ['Fabric!'] } });
    await shop.bulk('insert', [
      { sku: 'P', nodeName: 'Storage->Disk', attributes: { Fabric: 'wool' } },
      { sku: 'V', nodeName: 'Storage->Disk', parentSku: 'P' },
    ]);
    assert.deepEqual(await statuses(), { P: 'LIVE', V: 'DRAFT' });
    for (const [inheritable, status] of [
      [true, 'LIVE'],
      [false, 'DRAFT'],
    ] as const) {
      await shop.bulkAttributes([{ action: 'UPDATE', name: 'Fabric', validation: { inheritable } }]);
      await settled();
      assert.deepEqual(await statuses(), { P: 'LIVE', V: status });
    }
  });

  it('is not looked at where nothing changes for items, or where there are none', async () => {
    await assign('Storage', [{ name: 'Colour', mandatory: true }]);
    await shop.bulk('insert', [{ sku: 'C', nodeName: 'Other', attributes: { Title: 'c' } }]);
    await assign('Storage', [{ name: 'Colour', mandatory: false }]);
    await assign('Other', [{ name: 'Colour', mandatory: false }]);
    assert.deepEqual(await jobs(), []);
  });
});

describe('the status of items of a file', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ chunkRows: 1 });
  });
  after(() => world.stop());

  it('follows what becomes mandatory when its job has begun, and the first item is not written yet', async () => {
    const shop = await world.newShop();
    const workers = await world.startWorkers();
    await shop.define({ attributes: ['Title', 'Colour'], categories: { Disk: ['Title', 'Colour'] } });
    await workers.stop();
    const { outboxEntries } = await world.acceptFile(shop, 'items.csv', 'SKU,Category Node\nA,Disk\nB,Disk\nC,Disk\n');
    const ahead = [...outboxEntries];
    const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
    const [plan] = ahead.splice(0, 1);
    assert.ok(plan);
    await runStep(services, plan);
    const itemAttributes = [{ name: 'Colour', mandatory: true }];
    await shop.ask('POST', `${CATEGORY}/item-attribute`, {
      body: { nodeId: await shop.category('Disk'), itemAttributes },
    });
    await enqueueEntries(world.services.producer, ahead, world.services.logger);
    await world.startWorkers();
    const open = () => world.db('job').where({ site_id: shop.siteId, completed_at: null });
    await until('all jobs have ended', async () => (await open()).length === 0, 20_000);
    const items = await world.db('item').where({ site_id: shop.siteId }).select('sku', 'status').orderBy('sku');
    assert.deepEqual(items, [
      { sku: 'A', status: 'D' },
      { sku: 'B', status: 'D' },
      { sku: 'C', status: 'D' },
    ]);
  });
});
