/** Files of feeds that are the whole truth about what their feed has written. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ALL = { scope: 'feed', missing: 'delete', maxMissingPercent: 100 };

describe('a file that is all that its feed has written', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
  let files = 0;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
    folder = await folders.of(shop);
    await shop.bulk('insert', [{ sku: 'own', nodeName: 'Shelf', attributes: { Title: 'by hand' } }]);
  });
  afterEach(async () => {
    for (const table of ['feed', 'feed_item']) await world.db(table).delete();
  });

  const csv = (skus: readonly string[]) =>
    `Category Node,SKU,Title\n${skus.map((sku) => `Shelf,${sku},One`).join('\n')}\n`;
  const feed = async (name: string, snapshot: object = {}) =>
    (
      await folder.make({
        name,
        pick: { pattern: `${name}-*.csv`, settleSeconds: 0 },
        options: { snapshot: { ...ALL, ...snapshot } },
      })
    ).id as string;
  /** A file with these items comes. @returns its job */
  const comes = async (name: string, id: string, skus: readonly string[]) => {
    await folder.put(`${name}-${++files}.csv`, csv(skus));
    await folder.run(id);
    const [job] = (await folder.imports()).slice(-1);
    return untilEnded(shop, job.id);
  };
  const skus = async () => (await shop.items()).map(({ sku }) => sku);
  const written = (id: string): Promise<string[]> =>
    world.db('feed_item').where({ feed_id: id }).orderBy('sku').pluck('sku');

  it('removes what the feed wrote before, and nothing of others', async () => {
    const id = await feed('ERP');
    await comes('ERP', id, ['a', 'b', 'c']);
    const job = await comes('ERP', id, ['a', 'd']);
    assert.deepEqual(job.removal, { inScope: 4, missing: 2, removed: 2, kept: 0, stopped: false });
    assert.deepEqual([job.status, await skus()], ['COMPLETED', ['a', 'd', 'own']]);
    assert.deepEqual(await written(id), ['a', 'd'], 'also what it has only named');
    const same = await comes('ERP', id, ['d', 'a']);
    assert.deepEqual([same.status, same.removal.missing], ['COMPLETED', 0]);
    assert.deepEqual(
      (await folder.runs(id)).map(({ imports: { created, removed, brake } }) => [created, removed, brake]),
      [
        [0, 0, null],
        [1, 2, null],
        [3, 0, null],
      ],
      'its runs say what went',
    );
  });

  it('says in its run that the removal of a file waits, and what went when it was approved', async () => {
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    const id = await feed('ERP', { maxMissingPercent: 10, onBrake: 'approve' });
    await comes('ERP', id, ['a', 'b', 'c']);
    await folder.put(`ERP-${++files}.csv`, csv(['a', 'd']));
    await folder.run(id);
    const [{ id: jobId }] = (await folder.imports()).slice(-1);
    const read = async () => (await shop.ask('GET', `/jobs/${jobId}`)).status;
    await until('it waits', async () => (await read()) === 'AWAITING_APPROVAL', 30_000);
    assert.deepEqual(await skus(), ['a', 'b', 'c', 'd', 'own'], 'its rows were applied');
    const latest = async () => (await folder.runs(id))[0].imports;
    const { awaiting, created, removed, brake } = await latest();
    assert.deepEqual([awaiting, created, removed, brake.jobId], [1, 1, 0, jobId]);
    assert.match(brake.message, /2 of 4 items in the scope would go.* the removal of 2 items waits for an approval/);
    assert.equal((await shop.post(`/jobs/${jobId}/actions/approve`, {})).status, 202);
    const job = await untilEnded(shop, jobId);
    assert.deepEqual([job.status, await skus(), await written(id)], ['COMPLETED', ['a', 'd', 'own'], ['a', 'd']]);
    const after = await latest();
    assert.deepEqual([after.awaiting, after.removed, after.brake], [0, 2, null]);
  });

  it('leaves what it brought to others that have written it too, the last of which removes it', async () => {
    const [erp, supplier] = [await feed('ERP'), await feed('Supplier')];
    await comes('ERP', erp, ['a', 'b']);
    await comes('Supplier', supplier, ['b', 'c']);
    const kept = await comes('ERP', erp, ['a']);
    assert.deepEqual([kept.status, kept.removal.kept, kept.removal.removed], ['COMPLETED_PARTIALLY', 1, 0]);
    assert.match(kept.statusMessage, /1 item that it lacks stays \("b": the feed "Supplier" has written it too\)/);
    assert.deepEqual([await skus(), await written(erp)], [['a', 'b', 'c', 'own'], ['a']]);
    assert.equal((await comes('ERP', erp, ['a'])).status, 'COMPLETED', 'it is told once');
    assert.equal((await comes('Supplier', supplier, ['c'])).removal.removed, 1);
    assert.deepEqual(await skus(), ['a', 'c', 'own']);
  });

  it('is stopped by the brake as every other', async () => {
    const id = await feed('ERP', { maxMissingPercent: 50 });
    await comes('ERP', id, ['a', 'b', 'c', 'd']);
    const stopped = await comes('ERP', id, ['a']);
    assert.deepEqual([stopped.reason, stopped.removal.inScope], ['SNAPSHOT_BRAKE', 4]);
    assert.match(stopped.statusMessage, /^3 of 4 items in the scope would go, and that is more than 50 percent/);
    assert.deepEqual(await written(id), ['a', 'b', 'c', 'd']);
    const [{ imports }] = await folder.runs(id);
    const { message, ...brake } = imports.brake;
    assert.deepEqual(
      [imports.removed, imports.notImported, brake],
      [0, 0, { jobs: 1, jobId: stopped.id, fileName: stopped.inputFileName }],
    );
    assert.equal(message, stopped.statusMessage);
    assert.equal((await comes('ERP', id, ['a', 'b'])).removal.removed, 2);
  });

  it('counts nothing as written or removed that was only shown for an approval, and what was not imported at all', async () => {
    const waits = async (id: string) => {
      const isShown = async () => (await shop.ask('GET', `/jobs/${id}`)).status === 'AWAITING_APPROVAL';
      await until('the job waits for an approval', isShown, 20_000);
    };
    const id = await feed('ERP');
    await comes('ERP', id, ['a', 'b', 'c']);
    await shop.ask('PATCH', `/feeds/${id}`, {
      body: { options: { requireApproval: true, snapshot: ALL } },
    });
    const figures = async () => {
      const [{ imports }] = await folder.runs(id);
      return [imports.updated, imports.removed, imports.awaiting, imports.notImported];
    };
    for (const [action, after] of [
      ['reject', [0, 0, 0, 1]],
      ['approve', [1, 2, 0, 0]],
    ] as const) {
      await folder.put(`ERP-${++files}.csv`, csv(['a']).replace('One', action));
      await folder.run(id);
      const [job] = (await folder.imports()).slice(-1);
      await waits(job.id);
      assert.deepEqual(await figures(), [0, 0, 1, 0]);
      await shop.call('POST', `/jobs/${job.id}/actions/${action}`, { headers: { prefer: 'wait=25' } });
      await untilEnded(shop, job.id);
      assert.deepEqual(await figures(), after, action);
    }
  });

  it('does not count an item as its own that went and was made again by somebody else', async () => {
    const id = await feed('ERP');
    await comes('ERP', id, ['a', 'b']);
    await shop.call('POST', '/api-product/v1/product/bulk/delete', {
      body: { skus: ['b'] },
      headers: { prefer: 'wait=20' },
    });
    assert.deepEqual(await written(id), ['a']);
    await shop.bulk('insert', [{ sku: 'b', nodeName: 'Shelf' }]);
    const job = await comes('ERP', id, ['a', 'c']);
    assert.deepEqual([job.removal.missing, await skus()], [0, ['a', 'b', 'c', 'own']]);
  });

  it('may be sent by somebody, who names the feed', async () => {
    const id = await feed('ERP');
    await comes('ERP', id, ['a', 'b']);
    const options = { snapshot: { ...ALL, scope: { feed: 'erp' } } };
    const job = await shop.importFile('x.csv', csv(['b', 'c']), options);
    assert.deepEqual([job.status, await skus(), await written(id)], ['COMPLETED', ['b', 'c', 'own'], ['b', 'c']]);
  });

  it('writes nothing down by a dry run, and forgets all with the feed', async () => {
    const id = await feed('ERP');
    await comes('ERP', id, ['a', 'b']);
    const dry = { validateOnly: true, snapshot: { ...ALL, scope: { feed: 'ERP' } } };
    const job = await shop.importFile('x.csv', csv(['c']), dry);
    assert.match(job.message, /2 items that the file lacks would be deleted/);
    assert.deepEqual(await written(id), ['a', 'b']);
    assert.ok((await shop.call('DELETE', `/feeds/${id}`)).status < 300);
    assert.deepEqual(await written(id), []);
  });

  it('is rejected when its feed was deleted before it began', async () => {
    const id = await feed('ERP');
    const options = { snapshot: { ...ALL, scope: { feed: 'ERP' } } };
    const announced = await shop.ask('POST', '/files/product', {
      body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options },
    });
    await shop.call('DELETE', `/feeds/${id}`);
    await shop.put(announced, csv(['a']));
    const job = await shop.outcome(announced.jobId);
    assert.deepEqual([job.status, job.reason], ['REJECTED', 'SNAPSHOT_REFUSED']);
    assert.match(job.message, /snapshot\.scope\.feed: the feed was deleted/);
  });

  it('is refused where there is no such feed', async () => {
    const refused = async (scope: unknown) => {
      const body = { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options: { snapshot: { ...ALL, scope } } };
      const { status, body: answer } = await shop.post('/files/product', body);
      return [status, `${answer.errors[0].path}: ${answer.errors[0].message}`] as const;
    };
    const [status, unknown] = await refused({ feed: 'Nobody' });
    assert.equal(status, 400);
    assert.match(unknown, /options\.snapshot\.scope\.feed: there is no feed "Nobody" in this stage: GET \/feeds/);
    assert.match((await refused('feed'))[1], /options\.snapshot\.scope: "feed" is for the options of a feed/);
  });
});
