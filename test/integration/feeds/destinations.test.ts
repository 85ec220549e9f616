/** Feeds that write, as the API saves them: what is refused, what is shown, and what a test of one says. */
import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken } from '../../../src/domain/access/tokens.js';
import { Shop } from '../../support/http/shop.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SCHEDULE = { cron: '0 * * * *', timeZone: 'Europe/Berlin' };
const ITEMS = { type: 'ITEM_EXPORT' };

describe('destinations', function () {
  this.timeout(30_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
    await world.startWorkers({}, ['bulk']);
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', 'Price'],
      categories: { Shelf: ['Title'] },
      mapping: { title: 'Title' },
    });
    folder = await folders.of(shop);
  });

  const refused = async (over: object, status = 400): Promise<string> => {
    const answer = await shop.post('/feeds', folder.destinationBody(over));
    assert.equal(answer.status, status, answer.text);
    return answer.text;
  };

  it('are saved, read, changed and deleted beside sources', async () => {
    const source = await folder.make({ name: 'ERP' });
    assert.deepEqual([source.direction, source.export, source.after, source.keep], ['SOURCE', null, null, null]);
    const match = { categoryId: [1], status: 'LIVE' };
    const made = await folder.makeDestination({
      export: { ...ITEMS, match, columns: ['SKU', 'Title'], format: 'JSONL', gzip: true },
      schedule: SCHEDULE,
      after: { feed: 'erp' },
      keep: 3,
    });
    assert.deepEqual(
      [made.direction, made.content, made.fileName, made.keep, made.whenEmpty, made.after, made.fileType, made.pick],
      ['DESTINATION', 'WHOLE', 'items-{sequence}.csv', 3, 'WRITE', { feed: 'ERP' }, null, null],
    );
    assert.deepEqual([made.export.match, made.export.columns], [match, ['SKU', 'Title']]);
    assert.equal(made.nextRunAt, made.nextTimes[0]);
    const changed = await shop.ask('PATCH', `/feeds/${made.id}`, {
      body: { keep: null, after: null, content: 'DELTA' },
    });
    assert.deepEqual([changed.keep, changed.after, changed.content, changed.version], [null, null, 'DELTA', 2]);
    assert.deepEqual(changed.export, made.export);
    const stray = await shop.call('PATCH', `/feeds/${made.id}`, { body: { pick: { pattern: '*' } } });
    assert.deepEqual([stray.status, /pick.*belongs to sources/.test(stray.text)], [400, true], stray.text);
    assert.equal((await shop.ask('DELETE', `/feeds/${made.id}`)).id, made.id);
  });

  it('say where a body is wrong and why', async () => {
    assert.match(await refused({ export: undefined }), /export.*is missing: a DESTINATION needs it/);
    assert.match(await refused({ fileName: undefined }), /fileName.*is missing/);
    assert.match(await refused({ fileType: 'ITEM_IMPORT' }), /fileType.*belongs to sources/);
    assert.match(await refused({ direction: 'SOURCE', fileType: 'ITEM_IMPORT' }), /export.*belongs to destinations/);
    const https = { kind: 'https', url: 'https://shop.example/a.csv' };
    assert.match(await refused({ connection: https, keep: 2 }), /keep.*neither seen nor removed/);
    const changes = { connection: https, content: 'DELTA' };
    assert.match(await refused(changes), /connection\.url.*an address that ends with \//);
    assert.match(await refused({ connection: { kind: 'folder', path: '/etc' } }), /connection\.path.*FEED_FOLDERS/);
    assert.match(await refused({ connection: { kind: 'published', name: 'None' } }, 404), /None/);
    const published = await shop.post('/feeds', folder.body({ connection: { kind: 'published', name: 'X' } }));
    assert.match(published.text, /connection.*has to be DESTINATION/);
    for (const [fileName, why] of [
      ['../x.csv', /dot or a blank/],
      ['a/b.csv', /without folders/],
      ['a\\b.csv', /without folders/],
      ['items-{day}.csv', /\{day\}, which stands for nothing/],
      ['items-{date.csv', /brace/],
      ['items*.csv', /not allowed in names/],
      ['.hidden', /dot or a blank/],
      [`${'x'.repeat(300)}.csv`, /longer than 200/],
    ] as const) {
      assert.match(await refused({ fileName }), why, fileName);
    }
    assert.match(await refused({ content: 'DELTA', fileName: 'items.csv' }), /fileName.*needs \{sequence\}/);
    const profiled = { ...ITEMS, profile: 'shopify-products' };
    assert.match(await refused({ content: 'DELTA', export: profiled }), /content.*profile/);
    assert.match(await refused({ after: { feed: 'Nobody' } }), /after\.feed.*no feed/);
    assert.match(await refused({ keep: 0 }), /keep/);
  });

  it('check their export as the request for it is checked', async () => {
    assert.match(await refused({ export: { type: 'SITE_EXPORT' } }), /export\.type/);
    assert.match(await refused({ export: { ...ITEMS, since: { cursor: 'x' } } }), /since/);
    assert.match(await refused({ export: { ...ITEMS, callbackUrl: 'https://shop.example/' } }), /callbackUrl/);
    assert.match(await refused({ export: { ...ITEMS, publishAs: 'X' } }), /publishAs/);
    assert.match(
      await refused({ export: { ...ITEMS, format: 'XLSX', gzip: true } }),
      /export\.gzip.*compressed already/,
    );
    assert.match(
      await refused({ export: { ...ITEMS, columns: ['Titel'] } }),
      /export: there is no column .*did you mean .*export\.columns\.0/,
    );
    assert.match(await refused({ export: { ...ITEMS, match: { categoryId: 999 } } }), /node id 999/);
    assert.match(await refused({ export: { ...ITEMS, profile: 'Nothing' } }, 404), /Nothing/);
    const { id } = await folder.makeDestination();
    const changed = await shop.call('PATCH', `/feeds/${id}`, { body: { export: { ...ITEMS, columns: ['Titel'] } } });
    assert.deepEqual([changed.status, changed.body.code], [400, 'COLUMN_NOT_FOUND'], changed.text);
  });

  it('keep the source that they follow from being deleted', async () => {
    const source = await folder.make({ name: 'ERP' });
    const { id } = await folder.makeDestination({ after: { feed: 'ERP' } });
    const kept = await shop.call('DELETE', `/feeds/${source.id}`);
    assert.deepEqual([kept.status, kept.body.code], [409, 'FEED_IN_USE'], kept.text);
    assert.match(kept.text, /Marketplace/);
    assert.match(await refused({ name: 'Other', after: { feed: 'Marketplace' } }), /imports nothing/);
    await shop.ask('DELETE', `/feeds/${id}`);
    await shop.ask('DELETE', `/feeds/${source.id}`);
  });

  it('need the scope catalog:read of who saves them', async () => {
    const scopes = ['feeds:read', 'feeds:write', 'catalog:write'];
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'limited', scopes });
    const limited = new Shop(world.api, shop.account, token, shop.siteId);
    const answer = await limited.post('/feeds', folder.destinationBody());
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, /catalog:read/);
  });

  it('are tried by a small file that is removed again', async () => {
    const test = (over: object) => shop.ask('POST', '/feeds/actions/test', { body: folder.destinationBody(over) });
    const well = await test({});
    assert.deepEqual([well.reached, well.writable, well.left, well.failure], [true, true, null, null]);
    assert.deepEqual(await folder.names(), []);
    const gone = await test({ connection: { kind: 'folder', path: join(folder.path, 'gone') } });
    assert.deepEqual([gone.reached, gone.writable, gone.failure.code], [false, false, 'NOT_FOUND']);
    const { id } = await folder.makeDestination();
    const saved = await shop.ask('POST', '/feeds/actions/test', { body: { feedId: id } });
    assert.equal(saved.writable, true);
    await shop.ask('POST', '/published-files', { body: { name: 'Address' } });
    assert.equal((await test({ connection: { kind: 'published', name: 'Address' } })).writable, true);
    const none = await test({ connection: { kind: 'published', name: 'None' } });
    assert.deepEqual([none.writable, none.failure.code], [false, 'PUBLISHED_FILE_NOT_FOUND']);
    if (process.getuid?.() === 0) return;
    const locked = join(folder.path, 'locked');
    await mkdir(locked);
    await chmod(locked, 0o500);
    const kept = await test({ connection: { kind: 'folder', path: locked } });
    assert.deepEqual([kept.writable, kept.failure.code], [false, 'NOT_ALLOWED']);
  });
});
