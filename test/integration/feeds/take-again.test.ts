/** A file that a feed has taken, and that somebody has it take again. */
import assert from 'node:assert/strict';
import { releasedFiles } from '../../../src/domain/feeds/take-again.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { canMeasure, sentBy } from '../../support/worlds/plans/sent-statements.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SNAPSHOT = { scope: 'feed', missing: 'delete' };

describe('a file that is taken again', function () {
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
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
    folder = await folders.of(shop);
  });
  afterEach(() => world.db('feed').delete());

  const csv = (...skus: string[]) => `Category Node,SKU,Title\n${skus.map((sku) => `Shelf,${sku},One\n`).join('')}`;
  const again = (id: string, name: string, headers: Record<string, string> = {}) =>
    shop.call('POST', `/feeds/${id}/actions/take-again`, { body: { name }, headers });
  const importsEnded = async () => {
    for (const { id } of await folder.imports()) await untilEnded(shop, id);
    return folder.imports();
  };
  /** Has it taken again, and waits for the ends of the run and of its imports. @returns the message of the run */
  const takeAgain = async (id: string, name: string) => {
    const { status, body, text } = await again(id, name);
    assert.equal(status, 202, text);
    await untilEnded(shop, body.jobId);
    await importsEnded();
    return (await shop.ask('GET', `/jobs/${body.jobId}`)).statusMessage as string;
  };
  const skus = async () => (await shop.items()).map(({ sku }) => sku);

  it('is imported with other limits after the brake has held, once', async () => {
    const { id } = await folder.make({ options: { snapshot: SNAPSHOT } });
    for (const content of [csv('a', 'b', 'c'), csv('a')]) {
      await folder.put('all.csv', content);
      await folder.run(id);
      await importsEnded();
    }
    const [, braked] = await folder.imports();
    assert.equal(braked.reason, 'SNAPSHOT_BRAKE');
    assert.match(braked.statusMessage, /change the limits of its feed or .*take-again/);
    const retried = await shop.post(`/jobs/${braked.id}/actions/retry`, {});
    assert.equal(retried.status, 409, retried.text);
    assert.match(retried.text, /take-again/);
    await shop.ask('PATCH', `/feeds/${id}`, {
      body: { options: { snapshot: { ...SNAPSHOT, maxMissingPercent: 100 } } },
    });
    assert.match(await takeAgain(id, 'all.csv'), /^1 new file taken/);
    assert.deepEqual(await skus(), ['a']);
    assert.match((await folder.run(id)).statusMessage, /^no new file was taken; 1 file seen; 1 taken before/);
    const files = await folder.files(id);
    assert.deepEqual([files.length, files[0].checksum], [3, files[1].checksum]);
  });

  it('is imported from what was kept when it was moved away', async () => {
    const profile = {
      fileType: 'ITEM_IMPORT',
      columns: [
        { to: 'SKU', from: 'Artikel' },
        { to: 'Category Node', from: 'Gruppe' },
      ],
    };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Wrong', profile } });
    const { id } = await folder.make({ options: { profile: 'Wrong' }, afterwards: { moveTo: 'done' } });
    await folder.put('1.csv', csv('a'));
    await folder.run(id);
    const [rejected] = await importsEnded();
    assert.equal(rejected.status, 'REJECTED', rejected.statusMessage);
    const [run] = await folder.runs(id);
    assert.equal(run.imports.notImported, 1);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { options: { profile: null } } });
    assert.match(await takeAgain(id, '1.csv'), /^1 new file taken/);
    assert.deepEqual([await skus(), await folder.names(), await folder.names('done')], [['a'], [], ['1.csv']]);
    assert.match((await folder.run(id)).statusMessage, /^no new file was taken/);
    assert.match(await takeAgain(id, '1.csv'), /^1 new file taken/, 'as often as somebody asks for it');
    assert.equal((await folder.imports()).length, 3);
    await world.db('file').whereIn('id', world.db('job').select('input_file_id')).update({ storage_key: null });
    assert.match(await takeAgain(id, '1.csv'), /1 not imported: 1\.csv is to be taken again, .*put it there/);
    await folder.put('1.csv', csv('a'));
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
  });

  it('is found by its name, however its letters with accents are written', async () => {
    const { id } = await folder.make({ pick: { pattern: 'Größe*.csv', settleSeconds: 0 } });
    // As a Mac writes it.
    await folder.put('Größe.csv'.normalize('NFD'), csv('a'));
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
    await importsEnded();
    assert.match(await takeAgain(id, 'Größe.csv'), /^1 new file taken/);
    assert.match(await takeAgain(id, 'Größe.csv'.normalize('NFD')), /^1 new file taken/);
    assert.equal((await again(id, 'Grosse.csv')).status, 404);
  });

  it('is refused when it was never taken, or is still being imported', async () => {
    const { id } = await folder.make({ options: { requireApproval: true } });
    const never = await again(id, 'a.csv');
    assert.deepEqual([never.status, never.body.code], [404, 'FEED_FILE_NOT_FOUND'], never.text);
    await folder.put('a.csv', csv('a'));
    await folder.run(id);
    const waiting = await again(id, 'a.csv');
    assert.deepEqual([waiting.status, waiting.body.code], [409, 'FILE_IN_IMPORT'], waiting.text);
    const [job] = await folder.imports();
    await shop.ask('POST', `/jobs/${job.id}/actions/cancel`);
    await untilEnded(shop, job.id);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
    const paused = await again(id, 'a.csv');
    assert.deepEqual([paused.status, paused.body.code], [409, 'FEED_PAUSED'], paused.text);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'ACTIVE', options: {} } });
    assert.match((await folder.run(id)).statusMessage, /^no new file/, 'what was refused has changed nothing');
    const other = await world.newShop();
    const foreign = await other.call('POST', `/feeds/${id}/actions/take-again`, { body: { name: 'a.csv' } });
    assert.equal(foreign.status, 404);
  });

  it('is taken once also when it is asked for twice with the same key', async () => {
    const { id } = await folder.make();
    await folder.put('a.csv', csv('a'));
    await folder.run(id);
    await importsEnded();
    const headers = { 'idempotency-key': `again-${id}` };
    const [one, other] = [await again(id, 'a.csv', headers), await again(id, 'a.csv', headers)];
    assert.deepEqual([one.status, other.body.jobId], [202, one.body.jobId], other.text);
    await untilEnded(shop, one.body.jobId);
    await importsEnded();
    assert.equal((await folder.imports()).length, 2);
  });

  it('is found among all that its feed has taken, at a cost that does not grow with them', async function () {
    if (!(await canMeasure(world.db))) this.skip();
    const { id } = await folder.make();
    await folder.put('a.csv', csv('a'));
    await folder.run(id);
    await importsEnded();
    const [{ id: jobId }] = await folder.imports();
    await world.db.raw(
      `INSERT INTO feed_file (feed_id, name, checksum, version, bytes, job_id, run_id, taken_at)
       SELECT feed_id, n || '.csv', checksum, version, bytes, 'job-' || n, run_id, taken_at
       FROM feed_file, generate_series(1, 20000) AS n WHERE feed_id = ?`,
      [id],
    );
    await world.db('feed_file').where({ feed_id: id, name: 'a.csv' }).update({ released_at: world.db.fn.now() });
    // Postgres has looked at it many times before a feed has taken so many.
    await world.db.raw('ANALYZE feed_file');
    const looked = { ready: [], waiting: [] } as unknown as Parameters<typeof releasedFiles>[2];
    const sent = await sentBy(world.db, async (trx) => {
      assert.deepEqual(
        (await releasedFiles(trx, id, looked)).map(({ file }) => file.name),
        ['a.csv'],
      );
      assert.equal((await trx('feed_file').where({ job_id: jobId })).length, 1);
    });
    assert.equal(sent.length, 2);
    for (const { text, buffers, plan } of sent) assert.ok(buffers <= 50, `${buffers} buffers: ${text}\n${plan}`);
  });
});
