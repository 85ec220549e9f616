/** Runs of feeds: what is taken, once; what is not; and what is said about it. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { clearFiles } from '../../../src/domain/feeds/clear-files.js';
import { tendFeeds } from '../../../src/domain/feeds/due-feeds.js';
import { Metrics } from '../../../src/platform/metrics.js';
import { openLocalFolder } from '../../../src/platform/remote/local-folder.js';
import { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { tendAllFeeds } from '../../../src/workers/maintenance/tend-feeds.js';
import { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const NIGHTLY = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };

describe('a run of a feed', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  let metrics: Metrics;
  let shop: Shop;
  let folder: ShopFolder;
  before(async () => {
    folders = await makeFeedFolder();
    const environment = { FEED_FOLDERS: folders.allowed, UPLOAD_MAX_MB: '1' };
    world = await startWorld({ files: 'in a folder', environment });
    metrics = new Metrics();
    await world.startWorkers({ metrics }, ['bulk', 'export']);
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
  // Feeds of other tests are not due here.
  afterEach(() => world.db('feed').delete());

  const skus = async () => (await shop.items()).map(({ sku }) => sku);
  const importsEnded = async () => {
    for (const { id } of await folder.imports()) await untilEnded(shop, id);
  };
  const makeDue = (id: string, minutes = 0) =>
    world
      .db('feed')
      .where({ id })
      .update({ next_run_at: world.db.raw("now() - ? * interval '1 minute'", [minutes]) });
  /** Starts what is due, and waits for the ends of the runs. */
  const startDue = async (id: string) => {
    await tendAllFeeds(world.services);
    const { lastJobId } = await folder.get(id);
    await untilEnded(shop, lastJobId);
    return shop.ask('GET', `/jobs/${lastJobId}`);
  };

  it('takes each file once by name and content, with jobs of its own that say where they come from', async () => {
    for (const sku of ['A', 'B']) await folder.putItem(sku);
    const { id } = await folder.make({ name: 'ERP' });
    const first = await folder.run(id);
    assert.deepEqual([first.type, first.status], ['FEED_RUN', 'COMPLETED'], first.statusMessage);
    assert.match(first.statusMessage, /^2 new files taken; 2 files seen/);
    await importsEnded();
    assert.deepEqual(await skus(), ['A', 'B']);
    assert.match((await folder.run(id)).statusMessage, /^no new file was taken; 2 files seen; 2 taken before/);
    await folder.putItem('C', 'A.csv');
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
    await folder.putItem('C', 'A.csv');
    assert.match((await folder.run(id)).statusMessage, /^no new file/, 'it was replaced by the same content');
    await importsEnded();
    const imports = await folder.imports();
    assert.equal(imports.length, 3);
    for (const { submittedBy } of imports) assert.deepEqual(submittedBy, { actor: `feed:${id}`, name: 'ERP' });
    const files = await folder.files(id);
    assert.deepEqual(files.map(({ name }) => name).sort(), ['A.csv', 'A.csv', 'B.csv']);
    assert.deepEqual(new Set(files.map(({ jobId }) => jobId)), new Set(imports.map((job) => job.id)));
    const runs = await folder.runs(id);
    assert.deepEqual(
      runs.map(({ report }) => report.taken),
      [0, 1, 0, 2],
    );
    assert.deepEqual(
      runs.map(({ cause }) => cause),
      ['REQUEST', 'REQUEST', 'REQUEST', 'REQUEST'],
    );
    assert.deepEqual(
      runs.map(({ imports: { jobs, unended, created, updated, failed } }) => [jobs, unended, created, updated, failed]),
      [
        [0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [2, 0, 2, 0, 0],
      ],
    );
    const ofFirst = files.filter(({ runId }) => runId === runs[3].jobId).sort((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual(
      runs[3].imports.firstJobIds,
      ofFirst.map(({ jobId }) => jobId),
    );
    assert.deepEqual((await folder.get(id)).lastRun, runs[0]);
    assert.deepEqual(await folder.names(), ['A.csv', 'B.csv'], 'they are left');
  });

  it('imports again what a file had before it had something else', async () => {
    const price = (title: string) => folder.put('prices.csv', `Category Node,SKU,Title\nShelf,A,${title}\n`);
    const { id } = await folder.make();
    for (const title of ['ten', 'twelve', 'ten', 'ten', 'twelve']) {
      await price(title);
      await folder.run(id);
      await importsEnded();
      assert.equal((await shop.item('A'))?.attributes.Title, title);
    }
    const files = await folder.files(id);
    assert.equal(files.length, 4, 'ten after ten is nothing new');
    assert.equal(new Set(files.map(({ jobId }) => jobId)).size, 4);
  });

  it('imports by the profile and the options of the feed, for its channel', async () => {
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { delimiter: ';' },
      columns: [
        { to: 'SKU', from: 'Artikel' },
        { to: 'Category Node', from: 'Gruppe' },
        { to: 'Title', from: 'Name' },
      ],
    };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Own', profile } });
    await folder.put('shop.csv', 'Artikel;Gruppe;Name\nX;Shelf;One\n');
    const { id } = await folder.make({ options: { profile: 'Own', mode: 'insert', onError: 'abort' } });
    await folder.run(id);
    await importsEnded();
    const [job] = await folder.imports();
    assert.deepEqual(
      [job.status, job.profile.name, job.options.mode, job.options.onError],
      ['COMPLETED', 'Own', 'insert', 'abort'],
    );
    assert.deepEqual(await skus(), ['X']);
    await shop.ask('DELETE', '/import-profiles/Own');
    await folder.put('next.csv', 'Artikel;Gruppe;Name\nY;Shelf;One\n');
    const failed = await folder.run(id);
    assert.deepEqual([failed.status, failed.reason], ['FAILED', 'PROFILE_NOT_FOUND'], failed.statusMessage);
    assert.match(failed.statusMessage, /Own/);
    assert.equal((await folder.imports()).length, 1);
    assert.deepEqual((await folder.get(id)).lastFailure.code, 'PROFILE_NOT_FOUND');
    await shop.ask('POST', '/import-profiles', { body: { name: 'Own', profile } });
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/, 'nothing was lost');
    assert.deepEqual((await folder.get(id)).failures, 0);
  });

  it('waits for an approval where the feed asks for one, which counts as another token', async () => {
    await folder.putItem('A');
    const { id } = await folder.make({ options: { requireApproval: true } });
    await folder.run(id);
    const [job] = await folder.imports();
    const waits = async () => (await shop.ask('GET', `/jobs/${job.id}`)).status === 'AWAITING_APPROVAL';
    await until('the job waits for an approval', waits, 20_000);
    assert.deepEqual(await skus(), []);
    const approved = await shop.call('POST', `/jobs/${job.id}/actions/approve`, { headers: { prefer: 'wait=25' } });
    assert.equal(approved.status, 200, approved.text);
    assert.deepEqual(await skus(), ['A']);
  });

  it('moves or deletes what was taken, with its marker, and also what a death has left undone', async () => {
    for (const [afterwards, moved] of [
      [{ moveTo: 'done' }, ['A.csv']],
      ['delete', ['A.1.csv', 'A.csv']],
    ] as const) {
      const pick = { pattern: '*.csv', doneMarker: '.done' };
      const { id } = await folder.make({ name: JSON.stringify(afterwards), pick, afterwards });
      await folder.putItem('A');
      assert.match((await folder.run(id)).statusMessage, /1 not complete yet \(A.csv\)/);
      await folder.put('A.csv.done', '');
      await folder.run(id);
      assert.deepEqual([await folder.names(), await folder.names('done')], [[], moved]);
      const [file] = await folder.files(id);
      assert.notEqual(file.clearedAt, null);
      // The same once more, as if the process had died after the transaction that accepted the job.
      await folder.putItem('A');
      await folder.put('A.csv.done', '');
      assert.match((await folder.run(id)).statusMessage, /^no new file was taken; 1 file seen; 1 taken before/);
      assert.deepEqual(await folder.names(), []);
      assert.equal((await folder.files(id)).length, 1, 'no second job');
    }
  });

  it('does not take a file that grows, or whose marker is older', async () => {
    await writeFile(join(folder.path, 'grows.csv'), 'Category Node,SKU,Title\n');
    await folder.putItem('B');
    const { id } = await folder.make({ pick: { settleSeconds: 3 } });
    const { body } = await shop.call('POST', `/feeds/${id}/actions/run`);
    const ended = async () => (await shop.ask('GET', `/jobs/${body.jobId}`)).completedAt !== null;
    let rows = 0;
    const growing = async () => {
      await appendFile(join(folder.path, 'grows.csv'), `Shelf,G${rows++},One\n`);
      return ended();
    };
    await until('the run has ended', growing, 20_000, 50);
    const { statusMessage } = await shop.ask('GET', `/jobs/${body.jobId}`);
    assert.match(statusMessage, /^1 new file taken; 2 files seen; 1 not complete yet \(grows.csv\)/);
    await folder.run(id);
    await importsEnded();
    const items = await skus();
    assert.equal(items.length, rows + 1, 'all rows of it are there');
    assert.equal((await folder.files(id)).length, 2);
  });

  it('takes the newest file only, where that is asked for', async () => {
    await folder.putItem('OLD');
    await utimes(join(folder.path, 'OLD.csv'), new Date(), new Date(Date.now() - 60_000));
    await folder.putItem('NEW', 'AAA.csv');
    const { id } = await folder.make({ pick: { take: 'newest', settleSeconds: 0 } });
    await folder.run(id);
    assert.deepEqual(
      (await folder.files(id)).map(({ name }) => name),
      ['AAA.csv'],
    );
    assert.match((await folder.run(id)).statusMessage, /^no new file/);
  });

  it('takes no older file after the newest was moved away, which would bring back what that has changed', async () => {
    const put = async (name: string, secondsAgo: number) => {
      await folder.put(name, `Category Node,SKU,Title\nShelf,A,${name}\n`);
      await utimes(join(folder.path, name), new Date(), new Date(Date.now() - secondsAgo * 1000));
    };
    await put('a.csv', 300);
    await put('b.csv', 200);
    const pick = { take: 'newest', settleSeconds: 0 };
    const { id } = await folder.make({ pick, afterwards: { moveTo: 'done' } });
    await folder.run(id);
    const again = await folder.run(id);
    assert.deepEqual([again.status, await folder.names()], ['COMPLETED', ['a.csv']]);
    assert.match(
      again.statusMessage,
      /^no new file was taken; 1 file seen; a\.csv is older than the file that was taken/,
    );
    const { files } = await shop.ask('POST', '/feeds/actions/test', { body: { feedId: id } });
    assert.deepEqual(
      files.map(({ name, fate }: Record<string, string>) => [name, fate]),
      [['a.csv', 'REFUSED']],
    );
    await put('c.csv', 100);
    await folder.run(id);
    await importsEnded();
    assert.deepEqual(
      (await shop.items()).map(({ sku, attributes }) => [sku, attributes.Title]),
      [['A', 'c.csv']],
    );
    assert.deepEqual(await folder.names('done'), ['b.csv', 'c.csv']);
  });

  it('takes what comes after a file of the future, and what another pattern names, though it is older', async () => {
    const put = async (name: string, secondsAgo: number) => {
      await folder.putItem(name, name);
      await utimes(join(folder.path, name), new Date(), new Date(Date.now() - secondsAgo * 1000));
    };
    const { id } = await folder.make({ pick: { take: 'newest', settleSeconds: 0 }, afterwards: 'delete' });
    await put('future.csv', -86_400);
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
    await put('next.csv', -60);
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
    await put('items-1.csv', 3_600);
    assert.match((await folder.run(id)).statusMessage, /^no new file was taken; .*items-1\.csv is older/);
    const pick = { pattern: 'items-*.csv', take: 'newest', settleSeconds: 0 };
    const { files } = await shop.ask('POST', '/feeds/actions/test', { body: { feedId: id, pick } });
    assert.equal(files[0].fate, 'NEW');
    await shop.ask('PATCH', `/feeds/${id}`, { body: { pick } });
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
    await put('items-0.csv', 7_200);
    assert.match((await folder.run(id)).statusMessage, /items-0\.csv is older/);
  });

  it('says which files it does not import, and takes the others', async () => {
    await folder.putItem('A');
    await folder.put('huge.csv', 'x'.repeat(1024 * 1024 + 1));
    await folder.put('notes.txt', 'x');
    const { id } = await folder.make();
    const job = await folder.run(id);
    assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'TOO_LARGE'], job.statusMessage);
    const [run] = await folder.runs(id);
    assert.deepEqual(
      run.report.refused.map(({ name }: { name: string }) => name),
      ['huge.csv', 'notes.txt'],
    );
    await importsEnded();
    assert.deepEqual(await skus(), ['A']);
  });

  it('fails truthfully when the folder is gone, tells subscribers, and is tried again sooner than planned', async () => {
    await shop.ask('POST', '/api/v2/webhook', {
      body: webhookBody({ source: 'CATALOG', events: ['FEED_RUN_FAILED'] }),
    });
    const connection = { kind: 'folder', path: join(folder.path, 'later') };
    const { id } = await folder.make({ connection, schedule: NIGHTLY });
    await makeDue(id);
    const job = await startDue(id);
    assert.deepEqual([job.status, job.reason], ['FAILED', 'NOT_FOUND'], job.statusMessage);
    const feed = await folder.get(id);
    assert.equal(feed.failures, 1);
    assert.ok(Date.parse(feed.nextRunAt) < Date.now() + 2 * 60_000, feed.nextRunAt);
    const events = await world.db('event').where({ site_id: shop.siteId, event: 'FEED_RUN_FAILED' });
    assert.equal(events.length, 1);
    const told = JSON.parse(events[0].payload);
    assert.deepEqual(
      [told.feedId, told.jobId, told.code, told.failures, told.nextRunAt],
      [id, job.id, 'NOT_FOUND', 1, feed.nextRunAt],
    );
    for (let time = 2; time <= 6; time++) {
      await makeDue(id);
      await startDue(id);
    }
    const later = await folder.get(id);
    assert.equal(later.failures, 6);
    const minutes = (Date.parse(later.nextRunAt) - Date.now()) / 60_000;
    assert.ok(minutes > 100 && minutes < 121, `${minutes} minutes`);
    await folder.put('later.txt', '');
    await shop.ask('PATCH', `/feeds/${id}`, { body: { connection: { kind: 'folder', path: folder.path } } });
    await folder.run(id);
    const well = await folder.get(id);
    assert.deepEqual([well.failures, well.lastFailure, well.nextRunAt], [0, null, well.nextTimes[0]]);
    assert.equal((await folder.runs(id)).filter(({ cause }) => cause === 'RETRY').length, 5);
  });

  it('is a retry only between the times of its schedule', async () => {
    const { id } = await folder.make({ schedule: NIGHTLY });
    await rm(folder.path, { recursive: true });
    const nights = ['2026-07-01T00:30:00Z', '2026-07-01T00:31:00Z', '2026-07-02T00:30:00Z'];
    for (const at of nights) {
      await world.db('feed').where({ id }).update({ next_run_at: at });
      await startDue(id);
    }
    assert.deepEqual(
      (await folder.runs(id)).map(({ cause }) => cause),
      ['SCHEDULE', 'RETRY', 'SCHEDULE'],
    );
  });

  it('is seen by operators and counted, as other jobs are', async () => {
    const { id } = await folder.make({ name: 'ERP' });
    const ended = async () => {
      const counters = (await metrics.snapshot()).filter(({ name }) => name === 'longshore_jobs_total');
      const values = counters.flatMap((counter) => counter.values).filter(({ labels }) => labels.type === 'feed-run');
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
    };
    const before = await ended();
    const good = await folder.run(id);
    await rm(folder.path, { recursive: true });
    const bad = await folder.run(id);
    assert.deepEqual([good.status, bad.status], ['COMPLETED', 'FAILED']);
    // A run is counted by its worker, a moment after everybody can see its end.
    for (const outcome of ['COMPLETED', 'FAILED']) {
      await until(`${outcome} is counted`, async () => (await ended())[outcome] === (before[outcome] ?? 0) + 1, 10_000);
    }
    const headers = { authorization: `Bearer ${world.api.operatorToken}` };
    for (const path of [`/admin/jobs/${bad.id}`, `/admin/work?account=${shop.account}`]) {
      const page = await (await world.api.fetch(path, { headers })).text();
      assert.match(page, new RegExp(`${bad.id}[\\s\\S]*FEED_RUN|FEED_RUN[\\s\\S]*${bad.id}`), path);
    }
  });

  it('fails when a file cannot be moved, and takes it once all the same', async () => {
    await folder.putItem('A');
    await folder.put('done', 'a file in place of the folder');
    const { id } = await folder.make({ afterwards: { moveTo: 'done' }, pick: { pattern: '*.csv', settleSeconds: 0 } });
    for (const status of ['COMPLETED_PARTIALLY', 'FAILED']) {
      const job = await folder.run(id);
      assert.deepEqual([job.status, job.reason], [status, 'NOT_ALLOWED'], job.statusMessage);
    }
    await rm(join(folder.path, 'done'));
    assert.match((await folder.run(id)).statusMessage, /^no new file/);
    assert.deepEqual([await folder.names(), await folder.names('done')], [[], ['A.csv']]);
    assert.equal((await folder.imports()).length, 1);
  });

  it('moves the others when one of its files cannot be moved', async () => {
    for (const sku of ['A', 'B', 'C']) await folder.putItem(sku);
    await mkdir(join(folder.path, 'done'));
    const namesakes = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? 'B.csv' : `B.${index}.csv`));
    for (const name of namesakes) await writeFile(join(folder.path, 'done', name), '');
    const { id } = await folder.make({ afterwards: { moveTo: 'done' } });
    const job = await folder.run(id);
    assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'NOT_ALLOWED'], job.statusMessage);
    assert.match(job.statusMessage, /has 1000 files named B\.csv: empty it/);
    assert.deepEqual(await folder.names(), ['B.csv']);
    assert.equal((await folder.files(id)).filter(({ clearedAt }) => clearedAt !== null).length, 2);
  });

  it('moves the others in the end, also when more can never be moved than are tried', async () => {
    const never = Array.from({ length: 20 }, (_, index) => `a-${index}.csv`);
    const movable = Array.from({ length: 5 }, (_, index) => `b-${index}.csv`);
    for (const name of [...never, ...movable]) await folder.putItem(name, name);
    const { id, pick } = await folder.make();
    const signal = new AbortController().signal;
    const { folder: opened } = await openLocalFolder({ kind: 'folder', path: folder.path }, [folder.path]);
    const { move } = opened;
    opened.move = async (name, ...rest) => {
      if (never.includes(name)) throw new RemoteFailure('NOT_ALLOWED', `${name} belongs to somebody else`);
      return move.call(opened, name, ...rest);
    };
    const { files } = await opened.list({ pattern: pick.pattern, limit: 100 }, signal);
    const feed = { id, pick, afterwards: { moveTo: 'done' } };
    // Each run begins with others: that 20 of them all begin with those that fail is as good as impossible.
    for (let time = 0; time < 20 && (await folder.names()).length > never.length; time++) {
      await assert.rejects(clearFiles(world.db, opened, feed, files, signal), RemoteFailure);
    }
    assert.deepEqual(await folder.names('done'), movable);
  });

  it('of a missed time is started once, late, and says so', async () => {
    await folder.putItem('A');
    const { id } = await folder.make({ schedule: NIGHTLY });
    await makeDue(id, 180);
    await Promise.all([1, 2, 3].map(() => tendFeeds(world.db)));
    const runs = await folder.runs(id);
    assert.deepEqual(
      runs.map(({ cause, lateByMinutes }) => [cause, lateByMinutes]),
      [['SCHEDULE', 180]],
    );
    const { nextRunAt, nextTimes } = await folder.get(id);
    assert.equal(nextRunAt, nextTimes[0]);
    await tendAllFeeds(world.services);
    assert.equal((await folder.runs(id)).length, 1);
  });

  it('goes on alone: a second one is refused, and what is due waits', async () => {
    const { id } = await folder.make({ schedule: NIGHTLY, pick: { settleSeconds: 300 } });
    await folder.putItem('A');
    const { body } = await shop.call('POST', `/feeds/${id}/actions/run`);
    const second = await shop.call('POST', `/feeds/${id}/actions/run`);
    assert.deepEqual([second.status, second.body.code], [409, 'FEED_RUNNING'], second.text);
    await makeDue(id);
    await tendAllFeeds(world.services);
    assert.equal((await folder.runs(id)).length, 1);
    assert.equal((await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`)).status, 'CANCELLED');
    await tendAllFeeds(world.services);
    const [next, cancelled] = await folder.runs(id);
    assert.deepEqual([next?.cause, cancelled?.status, cancelled?.report], ['SCHEDULE', 'CANCELLED', null]);
    assert.equal((await folder.get(id)).failures, 0, 'a cancellation is no failure');
    const again = await shop.post(`/jobs/${body.jobId}/actions/retry`, {});
    assert.deepEqual([again.status, /run the feed again/.test(again.text)], [409, true], again.text);
    await shop.ask('POST', `/jobs/${next?.jobId}/actions/cancel`);
  });

  it('is not started when the token that saved the feed was revoked: the feed pauses and says so', async () => {
    const { token, id: tokenId } = await createToken(world.db, { accountId: shop.account, name: 'leaving' });
    const leaving = new Shop(world.api, shop.account, token, shop.siteId);
    await folder.putItem('A');
    const { id } = await leaving.ask('POST', '/feeds', { body: folder.body({ schedule: NIGHTLY }) });
    await revokeToken(world.db, tokenId);
    const cancelled = await folder.run(id);
    assert.equal(cancelled.status, 'CANCELLED');
    assert.match(cancelled.statusMessage, /revoked/);
    const paused = await folder.get(id);
    assert.deepEqual([paused.state, paused.nextRunAt, paused.savedBy], ['PAUSED', null, 'leaving']);
    assert.match(paused.pauseReason, /was revoked; save the feed again/);
    const refused = await shop.call('POST', `/feeds/${id}/actions/run`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'FEED_PAUSED'], refused.text);
    assert.deepEqual(await folder.imports(), []);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'ACTIVE' } });
    assert.match((await folder.run(id)).statusMessage, /^1 new file taken/);
  });

  it('of a schedule pauses its feed when the scopes of its token are gone', async () => {
    const { id } = await folder.make({ schedule: NIGHTLY });
    const { saved_by: savedBy } = await world.db('feed').where({ id }).first();
    await world
      .db('access_token')
      .where({ id: savedBy })
      .update({ scopes: ['feeds:read', 'feeds:write', 'catalog:read'] });
    await makeDue(id);
    await tendAllFeeds(world.services);
    const row = await world.db('feed').where({ id }).first();
    assert.deepEqual([row.state, row.last_job_id], ['PAUSED', null]);
    assert.match(row.pause_reason, /catalog:write/);
  });

  it('that does not come is told, once for each window', async () => {
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ source: 'CATALOG', events: ['FEED_OVERDUE'] }) });
    const { id } = await folder.make({ expectWithinMinutes: 60 });
    const told = () => world.db('event').where({ site_id: shop.siteId, event: 'FEED_OVERDUE' }).orderBy('id');
    const waits = (minutes: number) =>
      world
        .db('feed')
        .where({ id })
        .update({ expects_since: world.db.raw("now() - ? * interval '1 minute'", [minutes]) });
    await waits(59);
    await tendAllFeeds(world.services);
    assert.equal((await told()).length, 0);
    await waits(61);
    await tendAllFeeds(world.services);
    await tendAllFeeds(world.services);
    const [event, ...others] = await told();
    assert.deepEqual([JSON.parse(event.payload).feedId, JSON.parse(event.payload).lastFileAt, others], [id, null, []]);
    await waits(61);
    await folder.putItem('A');
    await folder.run(id);
    await tendAllFeeds(world.services);
    assert.equal((await told()).length, 1, 'a file has come');
  });

  it('is forgotten with its job, also where many earlier ones stay, whose files are published', async () => {
    await folder.putItem('B');
    const { id } = await folder.make();
    const { id: jobId } = await folder.run(id);
    await importsEnded();
    const earlier = "'0' || lpad(n::text, 25, '0')";
    await world.db.raw(
      `INSERT INTO job SELECT (jsonb_populate_record(job, jsonb_build_object('id', ${earlier}))).*
       FROM job, generate_series(1, 100) AS n WHERE job.id = ?`,
      [jobId],
    );
    await world.db.raw(
      `INSERT INTO feed_run (job_id, feed_id, cause, late_by_minutes)
       SELECT ${earlier}, ?, 'SCHEDULE', 0 FROM generate_series(1, 100) AS n`,
      [id],
    );
    await world.db.raw(
      `INSERT INTO published_file (id, site_id, name, name_key, key_digest, sealed_key, when_empty, job_id)
       SELECT n, ?, n, n, n::text::bytea, '', 'WRITE', ${earlier} FROM generate_series(1, 100) AS n`,
      [shop.siteId],
    );
    await world.db('feed_run').update({ ended_at: world.db.raw("now() - interval '2 days'") });
    await world.db('job').where({ id: jobId }).delete();
    await housekeep(world.services);
    assert.equal(await world.db('feed_run').where({ job_id: jobId }).first(), undefined);
    assert.equal((await world.db('feed_run').where({ feed_id: id })).length, 100, 'the others stay with their jobs');
    await world.db('published_file').where({ site_id: shop.siteId }).delete();
    await world.db('job').where('id', 'like', '00000%').delete();
  });

  it('is forgotten with its job, and its feed with what it has taken', async () => {
    await folder.putItem('A');
    const { id } = await folder.make();
    const { id: jobId } = await folder.run(id);
    await importsEnded();
    await world.db('feed_run').update({ ended_at: world.db.raw("now() - interval '2 days'") });
    await world.db('job').where({ id: jobId }).delete();
    await housekeep(world.services);
    assert.deepEqual(await folder.runs(id), []);
    await shop.ask('DELETE', `/feeds/${id}`);
    assert.equal((await world.db('feed_file').where({ feed_id: id })).length, 0);
  });
});
