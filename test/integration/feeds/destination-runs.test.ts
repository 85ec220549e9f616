/** Runs of destinations: what is written, under which names, what is removed, and what starts them. */
import assert from 'node:assert/strict';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tendFeeds } from '../../../src/domain/feeds/due-feeds.js';
import { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { send } from '../../../src/workers/after-step.js';
import { tendAllFeeds } from '../../../src/workers/maintenance/tend-feeds.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { parquetContent } from '../../support/read-parquet.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = 'Category Node,SKU,Parent SKU,Title';

describe('a run of a destination', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
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
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
    await put('a', 'b');
    folder = await folders.of(shop);
  });
  afterEach(() => world.db('feed').delete());

  const put = (...skus: string[]) =>
    shop.bulk(
      'upsert',
      skus.map((sku) => ({ sku, nodeName: 'Shelf', attributes: { Title: sku } })),
    );
  const remove = (...skus: string[]) =>
    shop.post('/api-product/v1/product/bulk/delete', { skus }, { headers: { prefer: 'wait=25' } });
  const ran = async (id: string) => {
    const job = await folder.run(id);
    assert.equal(job.status, 'COMPLETED', job.statusMessage);
    const [run] = await folder.runs(id);
    return { job, run, delivery: run.delivery, file: run.delivery.files[0] };
  };
  const stored = async () =>
    (await world.db('feed_output').whereNotNull('storage_key').select('storage_key')).map((row) => row.storage_key);

  it('writes all that the export selects, each time under the name of its template', async () => {
    const { id } = await folder.makeDestination({
      fileName: '{date}T{time}-{content}-{sequence}.csv',
      schedule: { cron: '0 0 1 1 *', timeZone: 'Asia/Tokyo' },
    });
    const { job, run, file } = await ran(id);
    const tokyo = new Date(run.createdAt).toLocaleDateString('sv-SE', { timeZone: 'Asia/Tokyo' });
    assert.match(file.name, new RegExp(`^${tokyo}T\\d\\d-\\d\\d-\\d\\d-whole-000001\\.csv$`));
    assert.deepEqual([file.rows, file.content, file.from, file.to], [2, 'WHOLE', null, null]);
    const text = await folder.read(file.name);
    assert.equal(text, `${HEADER}\nPRIMARY->Shelf,a,,a\nPRIMARY->Shelf,b,,b\n`);
    assert.equal(file.bytes, Buffer.byteLength(text));
    assert.deepEqual([job.type, run.report], ['FEED_RUN', null]);
    assert.match(job.statusMessage, /was sent: 2 rows, \d+ bytes, whole/);
    assert.equal((await ran(id)).file.name.slice(-10), '000002.csv');
    assert.equal((await folder.names()).length, 2);
    assert.deepEqual(await stored(), [], 'what was sent is not kept');
    assert.notEqual((await folder.get(id)).lastFileAt, null);
  });

  it('writes in the form that was asked for: packed, by a filter and columns, and by the profile as it is today', async () => {
    const lines = { type: 'ITEM_EXPORT', match: { sku: 'b' }, columns: ['SKU'], format: 'JSONL', gzip: true };
    const packed = await folder.makeDestination({ export: lines, fileName: 'items.jsonl.gz' });
    await ran(packed.id);
    const bytes = gunzipSync(Buffer.from(await folder.readBytes('items.jsonl.gz')));
    assert.deepEqual(JSON.parse(bytes.toString()), { sku: 'b', type: 'ITEM' });
    const profileOf = (column: string) => ({
      fileType: 'ITEM_IMPORT',
      columns: [
        { to: 'SKU', from: column },
        { to: 'Category Node', from: 'Group' },
      ],
    });
    const table = { type: 'ITEM_EXPORT', format: 'PARQUET' };
    const columnar = await folder.makeDestination({ name: 'Parquet', export: table, fileName: 'items.parquet' });
    const { file } = await ran(columnar.id);
    const { columns, rows } = parquetContent(await folder.readBytes('items.parquet'));
    assert.deepEqual(
      [columns, rows.map(({ SKU, Title }) => [SKU, Title]), file.rows],
      [
        ['Category Node: Utf8', 'SKU: Utf8', 'Parent SKU: Utf8', 'Title: Utf8'],
        [
          ['a', 'a'],
          ['b', 'b'],
        ],
        2,
      ],
    );
    const { id: changing } = await folder.makeDestination({
      ...{ name: 'Parquet of changes', export: table, content: 'DELTA', fileName: '{sequence}-{content}.parquet' },
    });
    await ran(changing);
    await put('c');
    await remove('b');
    await ran(changing);
    assert.deepEqual(
      parquetContent(await folder.readBytes('000002-delta.parquet')).rows.map(({ SKU, _operation: operation }) => [
        SKU,
        operation,
      ]),
      [
        ['c', 'UPSERT'],
        ['b', 'DELETE'],
      ],
    );
    await put('b');
    await remove('c');
    await shop.ask('POST', '/import-profiles', { body: { name: 'Own', profile: profileOf('Number') } });
    const { id } = await folder.makeDestination({
      name: 'Profile',
      export: { type: 'ITEM_EXPORT', profile: 'Own' },
      fileName: 'own.csv',
    });
    await ran(id);
    assert.match(await folder.read('own.csv'), /^Number,Group\n/);
    await shop.ask('PUT', '/import-profiles/Own', { body: { profile: profileOf('Article') } });
    await ran(id);
    assert.match(await folder.read('own.csv'), /^Article,Group\n/);
    const attributes = await folder.makeDestination({
      ...{ name: 'Attributes', export: { type: 'ATTRIBUTE_EXPORT' }, fileName: 'attributes.csv' },
    });
    assert.equal((await ran(attributes.id)).file.rows, 1);
  });

  it('writes the whole first, then what has changed, with the items that are gone or no longer selected', async () => {
    const { id } = await folder.makeDestination({
      content: 'DELTA',
      export: { type: 'ITEM_EXPORT', match: { properties: [{ name: 'Title', op: 'NOT_IN', value: ['hidden'] }] } },
    });
    const first = await ran(id);
    assert.deepEqual([first.file.content, first.file.rows], ['WHOLE', 2]);
    assert.match(first.file.whyWhole, /first/);
    await put('c');
    await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: 'hidden' } }]);
    await remove('b');
    const second = await ran(id);
    assert.deepEqual([second.file.content, second.file.from], ['DELTA', first.file.to]);
    assert.equal(
      await folder.read('items-000002.csv'),
      `${HEADER},_operation\nPRIMARY->Shelf,c,,c,UPSERT\n,a,,,DELETE\n,b,,,DELETE\n`,
    );
    const third = await ran(id);
    assert.deepEqual([third.file.rows, third.file.from], [0, second.file.to]);
  });

  it('writes the whole again, and says why, when changes are no longer kept or definitions were changed', async () => {
    const { id } = await folder.makeDestination({ content: 'DELTA' });
    await ran(id);
    const [shelf] = (await shop.ask('GET', '/api-category/v1/category?keyword=Shelf')).data;
    await shop.ask('PUT', '/api-category/v1/category', { body: { id: shelf.id, name: 'Rack' } });
    const renamed = await ran(id);
    assert.equal(renamed.file.content, 'WHOLE');
    assert.match(renamed.file.whyWhole, /attributes or categories/);
    assert.match(await folder.read(renamed.file.name), /PRIMARY->Rack,a/);
    await shop.define({ attributes: ['New'] });
    assert.equal((await ran(id)).file.content, 'DELTA', 'a new attribute changes no item');
    await world.db('change_feed').where({ site_id: shop.siteId }).increment('pruned_position', 1_000_000);
    await world.db('change_feed').where({ site_id: shop.siteId }).increment('last_position', 1_000_000);
    const gone = await ran(id);
    assert.match(gone.file.whyWhole, /no longer kept/);
    assert.match(gone.job.statusMessage, /it is whole because/);
    await world.db('change_feed').where({ site_id: shop.siteId }).update({ epoch: 'another' });
    assert.match((await ran(id)).file.whyWhole, /restored/);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { export: { type: 'ITEM_EXPORT', columns: ['SKU'] } } });
    assert.match((await ran(id)).file.whyWhole, /export was changed/);
  });

  it('writes what has changed of attributes and of categories, too', async () => {
    const [attributes, categories] = ['ATTRIBUTE_EXPORT', 'CATEGORY_EXPORT'].map((type) =>
      folder.makeDestination({ name: type, content: 'DELTA', export: { type }, fileName: `${type}-{sequence}.csv` }),
    );
    const [one, other] = [await attributes, await categories];
    assert.equal((await ran(one?.id)).file.content, 'WHOLE');
    assert.equal((await ran(other?.id)).file.content, 'WHOLE');
    await shop.define({ attributes: ['New'], categories: { Rack: ['New'] } });
    const [first, second] = [await ran(one?.id), await ran(other?.id)];
    assert.deepEqual([first.file.content, first.file.rows], ['DELTA', 1]);
    assert.match(await folder.read(first.file.name), /\nNew,[^\n]*,UPSERT\n$/);
    assert.deepEqual([second.file.content, second.file.rows], ['DELTA', 1]);
    assert.match(await folder.read(second.file.name), /\nPRIMARY->Rack,[^\n]*New,UPSERT\n$/);
  });

  it('is whole only for definitions on which its rows depend', async () => {
    const { id } = await folder.makeDestination({
      content: 'DELTA',
      export: { type: 'ITEM_EXPORT', columns: ['SKU', 'Title'] },
    });
    await ran(id);
    const [shelf] = (await shop.ask('GET', '/api-category/v1/category?keyword=Shelf')).data;
    await shop.ask('PUT', '/api-category/v1/category', { body: { id: shelf.id, name: 'Rack' } });
    assert.equal((await ran(id)).file.content, 'DELTA');
    const [title] = (await shop.ask('GET', '/api-product/v1/product/attribute')).data;
    const renamed = [{ action: 'UPDATE', id: title.id, name: 'Name' }];
    await shop.ask('POST', '/api-product/v1/product/attribute/bulk', { body: renamed, headers: { prefer: 'wait=25' } });
    assert.equal((await ran(id)).file.content, 'WHOLE');
  });

  it('sends a whole file without rows in the place of changes, whatever is wanted of empty ones', async () => {
    const category = (body: object) => shop.ask('POST', '/api-category/v1/category', { body });
    const { nodeId: top } = await category({ name: 'Top' });
    const { data } = await shop.ask('GET', '/api-category/v1/category');
    const nodeOf = (name: string) => data.find((one: { name: string }) => one.name === name).nodeId;
    const move = (parentNodeId: number) =>
      shop.ask('PUT', '/api-category/v1/category', { body: { nodeId: nodeOf('Shelf'), parentNodeId } });
    await move(top);
    const { id } = await folder.makeDestination({
      content: 'DELTA',
      whenEmpty: 'SKIP',
      export: { type: 'ITEM_EXPORT', match: { categoryId: [top] } },
    });
    assert.equal((await ran(id)).file.rows, 2);
    await move(nodeOf('PRIMARY'));
    const { file } = await ran(id);
    assert.deepEqual([file.content, file.rows], ['WHOLE', 0]);
    assert.equal((await ran(id)).delivery.skipped, true);
  });

  it('is whole after its export was changed while one without changes was made', async () => {
    const { id } = await folder.makeDestination({
      ...{ content: 'DELTA', whenEmpty: 'SKIP' },
      export: { type: 'ITEM_EXPORT', match: { sku: 'a' } },
    });
    assert.equal((await ran(id)).file.rows, 1);
    // It is changed when the run has exported what it said before, and has not recorded its end.
    const { fileStore } = world.services;
    const { remove } = fileStore;
    let changes = 0;
    fileStore.remove = async (key) => {
      if (key.startsWith('feed-outputs/') && changes++ === 0) {
        await shop.ask('PATCH', `/feeds/${id}`, { body: { export: { type: 'ITEM_EXPORT' } } });
      }
      return remove.call(fileStore, key);
    };
    try {
      assert.equal((await ran(id)).delivery.skipped, true);
    } finally {
      fileStore.remove = remove;
    }
    assert.equal(changes, 1);
    const { file } = await ran(id);
    assert.deepEqual([file.content, file.rows], ['WHOLE', 2]);
  });

  it('leaves out or writes a file without rows, as it was asked to', async () => {
    const none = { type: 'ITEM_EXPORT', match: { sku: 'none' } };
    const written = await folder.makeDestination({ export: none, fileName: 'empty.csv' });
    assert.equal((await ran(written.id)).file.rows, 0);
    assert.equal(await folder.read('empty.csv'), `${HEADER}\n`);
    const { id } = await folder.makeDestination({ name: 'Skip', export: none, whenEmpty: 'SKIP' });
    const { job, delivery } = await ran(id);
    assert.deepEqual([delivery.files, delivery.skipped], [[], true]);
    assert.match(job.statusMessage, /no row to write/);
    assert.deepEqual(await folder.names(), ['empty.csv']);
    const delta = await folder.makeDestination({ name: 'Delta', content: 'DELTA', whenEmpty: 'SKIP' });
    await ran(delta.id);
    assert.equal((await ran(delta.id)).delivery.skipped, true);
    await put('c');
    const { file } = await ran(delta.id);
    assert.deepEqual([file.name, file.rows, file.content], ['items-000002.csv', 1, 'DELTA']);
  });

  it('removes older files that it has written, and no others', async () => {
    const { id } = await folder.makeDestination({ keep: 2 });
    await ran(id);
    await ran(id);
    await writeFile(join(folder.path, 'items-000000.csv'), 'of somebody else');
    assert.deepEqual((await ran(id)).delivery.removed, ['items-000001.csv']);
    await writeFile(join(folder.path, 'items-000002.csv'), 'replaced by somebody else');
    await ran(id);
    await ran(id);
    assert.deepEqual(await folder.names(), [
      ...['items-000000.csv', 'items-000002.csv', 'items-000004.csv', 'items-000005.csv'],
    ]);
    assert.equal(await folder.read('items-000002.csv'), 'replaced by somebody else');
  });

  it('removes older files also where a Mac has written their names otherwise', async () => {
    const { id } = await folder.makeDestination({ fileName: 'Größe-{sequence}.csv', keep: 1 });
    const name = (sequence: number) => `Größe-00000${sequence}.csv`;
    await ran(id);
    await rename(join(folder.path, name(1)), join(folder.path, name(1).normalize('NFD')));
    await writeFile(join(folder.path, name(2).normalize('NFD')), 'that of somebody else');
    const { delivery } = await ran(id);
    assert.deepEqual(delivery.removed, [name(1)]);
    assert.deepEqual(await folder.names(), [name(2).normalize('NFD'), name(2)]);
    assert.deepEqual((await ran(id)).delivery.removed, [name(2)]);
    assert.deepEqual(await folder.names(), [name(2).normalize('NFD'), name(3)]);
  });

  it('publishes at the address of a published file', async () => {
    const { url } = await shop.ask('POST', '/published-files', { body: { name: 'Address' } });
    const { id } = await folder.makeDestination({
      ...{ connection: { kind: 'published', name: 'Address' }, fileName: 'items.csv' },
    });
    const { file } = await ran(id);
    assert.deepEqual([file.name, file.rows], ['items.csv', 2]);
    const fetched = async () => (await fetch(`${world.api.url}${new URL(url).pathname}`)).text();
    assert.match(await fetched(), /Shelf,b/);
    await put('c');
    await ran(id);
    assert.match(await fetched(), /Shelf,c/);
  });

  it('runs once after the imports of a source that end within a short time', async () => {
    await folder.make({ name: 'ERP', pick: { pattern: 'in-*.csv', settleSeconds: 0 } });
    const [source] = (await shop.ask('GET', '/feeds')).data;
    const { id } = await folder.makeDestination({ after: { feed: 'ERP' } });
    for (const sku of ['c', 'd']) await folder.putItem(sku, `in-${sku}.csv`);
    await folder.run(source.id);
    for (const job of await folder.imports()) await untilEnded(shop, job.id);
    const planned = async () => {
      await tendAllFeeds(world.services);
      return (await folder.get(id)).nextRunAt !== null;
    };
    await until('the end of the imports was found', planned, 20_000);
    assert.equal((await folder.runs(id)).length, 0, 'it waits for others');
    await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
    await tendAllFeeds(world.services);
    const { lastJobId } = await folder.get(id);
    await untilEnded(shop, lastJobId);
    const runs = await folder.runs(id);
    assert.deepEqual(
      runs.map(({ cause, delivery }) => [cause, delivery.files[0].rows]),
      [['AFTER', 4]],
    );
    await tendAllFeeds(world.services);
    assert.deepEqual([(await folder.runs(id)).length, (await folder.get(id)).nextRunAt], [1, null]);
    assert.equal((await world.db('feed_import')).length, 0);
  });

  it('catches up on imports that have ended while it was paused, or before its schedule was changed', async () => {
    const source = await folder.make({ name: 'ERP', pick: { pattern: 'in-*.csv', settleSeconds: 0 } });
    const { id } = await folder.makeDestination({ after: { feed: 'ERP' } });
    const change = (body: object) => shop.ask('PATCH', `/feeds/${id}`, { body });
    const comes = async (sku: string) => {
      await folder.putItem(sku, `in-${sku}.csv`);
      await folder.run(source.id);
      for (const job of await folder.imports()) await untilEnded(shop, job.id);
      await tendAllFeeds(world.services);
    };
    const isSoon = (at: string | null) => at !== null && Date.parse(at) - Date.now() < 60_000;
    await change({ state: 'PAUSED' });
    await comes('c');
    assert.equal((await folder.get(id)).nextRunAt, null, 'it is paused');
    assert.ok(isSoon((await change({ state: 'ACTIVE' })).nextRunAt));
    assert.ok(isSoon((await change({ schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' } })).nextRunAt));
    assert.ok(isSoon((await change({ schedule: null, after: { feed: 'ERP' } })).nextRunAt));
    await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
    await tendAllFeeds(world.services);
    await untilEnded(shop, (await folder.get(id)).lastJobId);
    const [run] = await folder.runs(id);
    assert.deepEqual([run.cause, run.delivery.files[0].rows], ['AFTER', 3]);
    await comes('d');
    assert.equal((await change({ after: null, schedule: null })).nextRunAt, null, 'it follows none any more');
  });

  for (const when of ['waits', 'exports']) {
    it(`catches up on the imports of a run that was paused while it ${when}`, async () => {
      await folder.make({ name: 'ERP' });
      const { id } = await folder.makeDestination({ after: { feed: 'ERP' } });
      const change = (state: string) => shop.ask('PATCH', `/feeds/${id}`, { body: { state } });
      // As an import that has ended leaves it.
      await world.db('feed').where({ id }).update({ after_ends: true, next_run_at: world.db.fn.now() });
      const { fileStore } = world.services;
      const { create } = fileStore;
      if (when === 'waits') {
        const entries = await tendFeeds(world.db);
        await change('PAUSED');
        await send(world.services, entries);
        await untilEnded(shop, (await folder.get(id)).lastJobId);
      } else {
        fileStore.create = async (key, ...rest) => {
          if (key.startsWith('feed-outputs/')) await change('PAUSED');
          return create.call(fileStore, key, ...rest);
        };
        try {
          await tendAllFeeds(world.services);
          await untilEnded(shop, (await folder.get(id)).lastJobId);
        } finally {
          fileStore.create = create;
        }
      }
      const [paused] = await folder.runs(id);
      assert.deepEqual([paused.cause, paused.status, await folder.names()], ['AFTER', 'CANCELLED', []]);
      assert.equal((await folder.get(id)).nextRunAt, null, 'it is paused');
      assert.notEqual((await change('ACTIVE')).nextRunAt, null);
      await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
      await tendAllFeeds(world.services);
      await untilEnded(shop, (await folder.get(id)).lastJobId);
      const [run] = await folder.runs(id);
      assert.deepEqual([run.cause, run.delivery.files[0].rows], ['AFTER', 2]);
    });
  }

  it('runs after it was paused, or its password was corrected, if its last run had failed', async () => {
    await folder.make({ name: 'ERP' });
    const { id } = await folder.makeDestination({ after: { feed: 'ERP' } });
    const change = (body: object) => shop.ask('PATCH', `/feeds/${id}`, { body });
    const due = async () => {
      await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
      await tendAllFeeds(world.services);
      await untilEnded(shop, (await folder.get(id)).lastJobId);
      return (await folder.runs(id))[0];
    };
    const fails = async (kind: 'passing' | 'lasting') => {
      const { fileStore } = world.services;
      const { read } = fileStore;
      fileStore.read = async () => {
        throw new RemoteFailure(kind === 'passing' ? 'UNREACHABLE' : 'REFUSED_LOGIN', 'it is away');
      };
      // As an import that has ended leaves it.
      await world.db('feed').where({ id }).update({ after_ends: true });
      try {
        assert.equal((await due()).status, 'FAILED');
      } finally {
        fileStore.read = read;
      }
    };
    const isSoon = (at: string | null) => at !== null && Date.parse(at) - Date.now() < 60_000;
    await fails('passing');
    assert.equal((await change({ state: 'PAUSED' })).nextRunAt, null);
    await put('c');
    assert.ok(isSoon((await change({ state: 'ACTIVE' })).nextRunAt), 'it goes on');
    const run = await due();
    assert.deepEqual([run.cause, run.status, run.delivery.files[0].rows], ['AFTER', 'COMPLETED', 3], 'as it is now');
    assert.equal((await folder.get(id)).nextRunAt, null);
    await fails('lasting');
    assert.equal((await folder.get(id)).nextRunAt, null, 'somebody has to do something');
    assert.ok(isSoon((await change({ whenEmpty: 'WRITE' })).nextRunAt), 'somebody has');
    assert.equal((await due()).status, 'COMPLETED');
    assert.equal((await change({ state: 'PAUSED' })).nextRunAt, null);
    assert.equal((await change({ state: 'ACTIVE' })).nextRunAt, null, 'there is nothing to do');
  });

  it('fails truthfully, keeps what it has exported, and sends that file by its retry under the same name', async () => {
    const { id } = await folder.makeDestination({
      content: 'DELTA',
      schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' },
    });
    await ran(id);
    await put('c');
    await chmod(folder.path, 0o500);
    const isRoot = process.getuid?.() === 0;
    if (isRoot)
      await world
        .db('feed')
        .where({ id })
        .update({ connection: { kind: 'folder', path: `${folder.path}/x` } });
    const failed = await folder.run(id);
    await chmod(folder.path, 0o700);
    assert.deepEqual([failed.status, failed.reason], ['FAILED', isRoot ? 'NOT_FOUND' : 'NOT_ALLOWED']);
    const feed = await folder.get(id);
    assert.deepEqual([feed.failures, feed.lastFailure.code], [1, failed.reason]);
    assert.equal((await stored()).length, 1);
    if (isRoot)
      await world
        .db('feed')
        .where({ id })
        .update({ connection: { kind: 'folder', path: folder.path } });
    await put('d');
    await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
    await tendAllFeeds(world.services);
    await untilEnded(shop, (await folder.get(id)).lastJobId);
    assert.deepEqual(await folder.names(), ['items-000001.csv', 'items-000002.csv']);
    assert.match(await folder.read('items-000002.csv'), /,c,,c,UPSERT\n$/);
    const { file } = await ran(id);
    assert.deepEqual([file.name, file.rows], ['items-000003.csv', 1], 'what came later is not left out');
    assert.deepEqual(await stored(), []);
  });
});
