/** What a failure of a feed, or of one of its files, means for its next run. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { noteFailure } from '../../../src/domain/feeds/run-ends.js';
import { tendAllFeeds } from '../../../src/workers/maintenance/tend-feeds.js';
import { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MINUTE_MS = 60_000;
/** Half an hour, and half a day, from now: whenever the tests run, no planned time comes before what they wait for. */
const hourly = () => ({ cron: `${(new Date().getUTCMinutes() + 30) % 60} * * * *`, timeZone: 'UTC' });
const daily = () => ({ cron: `30 ${(new Date().getUTCHours() + 12) % 24} * * *`, timeZone: 'UTC' });

describe('a failure of a feed', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
  before(async () => {
    folders = await makeFeedFolder();
    const environment = { FEED_FOLDERS: folders.allowed, UPLOAD_MAX_MB: '1' };
    world = await startWorld({ files: 'in a folder', environment });
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
    await shop.ask('POST', '/api/v2/webhook', {
      body: webhookBody({ source: 'CATALOG', events: ['FEED_RUN_FAILED'] }),
    });
  });
  afterEach(() => world.db('feed').delete());

  const huge = (name: string) => folder.put(name, 'x'.repeat(1024 * 1024 + 1));
  const makeDue = (id: string) => world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
  /** Runs it as its schedule does. */
  const runDue = async (id: string) => {
    await makeDue(id);
    await tendAllFeeds(world.services);
    const { lastJobId } = await folder.get(id);
    await untilEnded(shop, lastJobId);
    return shop.ask('GET', `/jobs/${lastJobId}`);
  };
  const told = async () =>
    (await world.db('event').where({ site_id: shop.siteId, event: 'FEED_RUN_FAILED' }).orderBy('id')).map(
      ({ payload }) => JSON.parse(payload),
    );
  /** Notes that it has failed so. */
  const fails = (id: string, kind: 'passing' | 'lasting') =>
    world.db.transaction(async (trx) => {
      const feed = await trx('feed').where({ id }).forUpdate().first();
      return noteFailure(trx, feed, null, { code: 'REFUSED_LOGIN', message: 'the password is wrong', kind });
    });
  const minutesUntil = ({ nextRunAt }: { nextRunAt: string }) => (Date.parse(nextRunAt) - Date.now()) / MINUTE_MS;

  describe('of one file', () => {
    it('leaves the schedule and the others as they are, and is told once', async () => {
      await huge('b.csv');
      const { id } = await folder.make({ schedule: hourly(), afterwards: { moveTo: 'done' } });
      for (let time = 0; time < 6; time++) {
        await folder.putItem(`A${time}`, `a${time}.csv`);
        await folder.putItem(`C${time}`, `c${time}.csv`);
        const job = await runDue(id);
        assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'TOO_LARGE'], job.statusMessage);
        assert.match(job.statusMessage, /2 new files taken.*1 not imported: b\.csv b\.csv is larger/);
      }
      const feed = await folder.get(id);
      assert.deepEqual(
        [feed.failures, feed.breaker, feed.nextRunAt, feed.lastFailure.code],
        [0, 'CLOSED', feed.nextTimes[0], 'TOO_LARGE'],
      );
      assert.deepEqual(await folder.names(), ['b.csv']);
      assert.equal((await told()).length, 1);
    });

    it('also when there is nothing else, however often', async () => {
      await huge('b.csv');
      const { id } = await folder.make({ schedule: hourly() });
      for (let time = 0; time < 6; time++) assert.equal((await runDue(id)).status, 'FAILED');
      const feed = await folder.get(id);
      assert.deepEqual([feed.failures, feed.breaker, feed.nextRunAt], [6, 'CLOSED', feed.nextTimes[0]]);
      assert.equal((await told()).length, 1);
      await rm(join(folder.path, 'b.csv'));
      await runDue(id);
      assert.deepEqual((await folder.get(id)).lastFailure, null);
    });

    it('holds up those behind it where each builds on those before it', async () => {
      await folder.putItem('A', '1.csv');
      await huge('2.csv');
      await folder.put('3.txt', 'nothing');
      await folder.putItem('C', '4.csv');
      const pick = { take: 'inOrder', settleSeconds: 0 };
      const { id } = await folder.make({ schedule: hourly(), pick, afterwards: 'delete' });
      const job = await runDue(id);
      assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'TOO_LARGE']);
      assert.match(job.statusMessage, /^2\.csv is larger.*1 new file taken.*1 file behind it not taken/);
      assert.deepEqual(await folder.names(), ['2.csv', '3.txt', '4.csv']);
      await folder.putItem('B', '2.csv');
      assert.match((await runDue(id)).statusMessage, /^2 new files taken/);
      assert.deepEqual((await folder.files(id)).map(({ name }) => name).sort(), ['1.csv', '2.csv', '4.csv']);
    });

    it('such as one that is not complete holds them up as well', async () => {
      const pick = { take: 'inOrder', pattern: '*.csv', doneMarker: '.done' };
      const { id } = await folder.make({ pick });
      for (const name of ['1.csv', '2.csv', '3.csv']) await folder.putItem(name.slice(0, 1), name);
      for (const name of ['1.csv.done', '3.csv.done']) await folder.put(name, '');
      assert.match(
        (await folder.run(id)).statusMessage,
        /^1 new file taken; 3 files seen; 1 not complete yet \(2\.csv\); 1 file behind it not taken/,
      );
      await folder.put('2.csv.done', '');
      assert.match((await folder.run(id)).statusMessage, /^2 new files taken/);
    });
  });

  describe('that lasts', () => {
    it('is not tried again before the next time, and from the fifth on not at each', async () => {
      const schedule = hourly();
      const { id } = await folder.make({ schedule });
      for (let time = 1; time < 5; time++) {
        await fails(id, 'lasting');
        const feed = await folder.get(id);
        assert.deepEqual([feed.failures, feed.nextRunAt, feed.breaker], [time, feed.nextTimes[0], 'CLOSED']);
      }
      for (const least of [60, 120, 240, 480, 720, 720]) {
        await fails(id, 'lasting');
        const feed = await folder.get(id);
        assert.equal(feed.breaker, 'OPEN');
        const minutes = minutesUntil(feed);
        assert.ok(minutes > least - 1 && minutes <= least + 60, `${minutes} of ${least}`);
        assert.equal(new Date(feed.nextRunAt).getUTCMinutes(), Number.parseInt(schedule.cron, 10));
      }
      await shop.ask('PATCH', `/feeds/${id}`, { body: { expectWithinMinutes: 600 } });
      const saved = await folder.get(id);
      assert.equal(saved.breaker, 'CLOSED', 'somebody has saved it');
      assert.ok(minutesUntil(saved) <= 1);
      const job = await runDue(id);
      assert.equal(job.status, 'COMPLETED');
      const { failures, breaker, nextRunAt, nextTimes } = await folder.get(id);
      assert.deepEqual([failures, breaker, nextRunAt], [0, 'CLOSED', nextTimes[0]]);
    });

    it('of a profile that is gone is one of those', async () => {
      const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'Artikel' }] };
      await shop.ask('POST', '/import-profiles', { body: { name: 'Own', profile } });
      await folder.putItem('A');
      const { id } = await folder.make({ schedule: daily(), options: { profile: 'Own' } });
      await shop.ask('DELETE', '/import-profiles/Own');
      assert.equal((await runDue(id)).reason, 'PROFILE_NOT_FOUND');
      const { nextRunAt, nextTimes } = await folder.get(id);
      assert.equal(nextRunAt, nextTimes[0]);
    });

    it('has a feed that is looked at often wait for an hour', async () => {
      const { id } = await folder.make({ schedule: { everySeconds: 15 } });
      await fails(id, 'lasting');
      const minutes = minutesUntil(await folder.get(id));
      assert.ok(minutes > 59 && minutes <= 60, `${minutes}`);
    });
  });

  describe('that may pass', () => {
    it('opens the breaker after five, and the trigger waits for the next try', async () => {
      const { id } = await folder.make({ schedule: daily() });
      const { url } = await shop.ask('POST', `/feeds/${id}/actions/renew-trigger`);
      for (let time = 1; time <= 5; time++) {
        assert.equal((await folder.get(id)).breaker, 'CLOSED');
        await fails(id, 'passing');
      }
      const feed = await folder.get(id);
      assert.equal(feed.breaker, 'OPEN');
      assert.ok(minutesUntil(feed) <= 60);
      const call = () => world.api.fetch(new URL(url).pathname, { method: 'POST' });
      assert.equal((await call()).status, 202);
      assert.deepEqual(await folder.runs(id), []);
      assert.equal((await folder.run(id)).status, 'COMPLETED', 'somebody may run it at any time');
      assert.equal((await folder.get(id)).breaker, 'CLOSED');
    });

    it('is tried again also of a feed that only its trigger runs', async () => {
      const { id } = await folder.make();
      await fails(id, 'passing');
      assert.equal((await folder.get(id)).nextRunAt, null, 'who runs it sees that it has failed');
      await shop.ask('POST', `/feeds/${id}/actions/renew-trigger`);
      await fails(id, 'passing');
      const minutes = minutesUntil(await folder.get(id));
      assert.ok(minutes > 4 && minutes <= 5, `${minutes}`);
      const job = await runDue(id);
      assert.equal(job.status, 'COMPLETED');
      const [run] = await folder.runs(id);
      const feed = await folder.get(id);
      assert.deepEqual([run.cause, feed.failures, feed.nextRunAt], ['RETRY', 0, null]);
    });
  });

  it('is none when a file still grows: it is looked at again soon, until it is taken', async () => {
    const { id } = await folder.make({ schedule: daily(), pick: { settleSeconds: 1 } });
    await writeFile(join(folder.path, 'grows.csv'), 'Category Node,SKU,Title\n');
    let rows = 0;
    const grow = () => appendFileSync(join(folder.path, 'grows.csv'), `Shelf,G${rows++},One\n`);
    const runWhileGrowing = async () => {
      // By a timer of the process that looks at the file: it is due before that of the second look, however busy the machine is.
      const growing = setInterval(grow, 50);
      try {
        return await runDue(id);
      } finally {
        clearInterval(growing);
      }
    };
    for (const minutes of [2, 5]) {
      assert.equal((await runWhileGrowing()).status, 'COMPLETED');
      const feed = await folder.get(id);
      const wait = minutesUntil(feed);
      assert.ok(wait > minutes - 1 && wait <= minutes, `${wait} of ${minutes}`);
      assert.equal(feed.failures, 0);
    }
    assert.match((await runDue(id)).statusMessage, /^1 new file taken/);
    const { nextRunAt, nextTimes } = await folder.get(id);
    assert.equal(nextRunAt, nextTimes[0]);
    assert.deepEqual(
      (await folder.runs(id)).map(({ cause }) => cause),
      ['RETRY', 'RETRY', 'SCHEDULE'],
    );
  });

  it('is none when a marker is missing, which is waited for some times', async () => {
    await folder.putItem('A');
    const { id } = await folder.make({ schedule: daily(), pick: { pattern: '*.csv', doneMarker: '.done' } });
    for (let time = 0; time < 5; time++) {
      await runDue(id);
      assert.ok(minutesUntil(await folder.get(id)) <= 40);
    }
    await runDue(id);
    const { nextRunAt, nextTimes } = await folder.get(id);
    assert.equal(nextRunAt, nextTimes[0]);
  });

  it('is tried again within a minute after a pause, and so is a file that was not complete', async () => {
    const change = (id: string, body: object) => shop.ask('PATCH', `/feeds/${id}`, { body });
    const paused = async (id: string) => {
      assert.equal((await change(id, { state: 'PAUSED' })).nextRunAt, null);
      const feed = await change(id, { state: 'ACTIVE' });
      assert.ok(minutesUntil(feed) <= 1, `${feed.nextRunAt}`);
      assert.equal(feed.breaker, 'CLOSED');
    };
    const { id } = await folder.make({ schedule: daily() });
    await fails(id, 'passing');
    await paused(id);
    for (let time = 0; time < 6; time++) await fails(id, 'lasting');
    await paused(id);
    const otherwise = await change(id, { schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' } });
    assert.ok(minutesUntil(otherwise) <= 1, 'its schedule may be what was wrong');
    assert.equal((await runDue(id)).status, 'COMPLETED');
    assert.equal((await folder.runs(id))[0].cause, 'RETRY');
    await change(id, { state: 'PAUSED' });
    const well = await change(id, { state: 'ACTIVE' });
    assert.equal(well.nextRunAt, well.nextTimes[0], 'nothing is to be done before');

    const called = await folder.make({ name: 'Called' });
    await fails(called.id, 'passing');
    await change(called.id, { state: 'PAUSED' });
    assert.equal((await change(called.id, { state: 'ACTIVE' })).nextRunAt, null, 'it runs on request only');
    await shop.ask('POST', `/feeds/${called.id}/actions/renew-trigger`);
    await paused(called.id);
    assert.equal((await runDue(called.id)).status, 'COMPLETED');

    await folder.putItem('A', 'marked.txt.csv');
    const marked = await folder.make({ name: 'M', schedule: daily(), pick: { pattern: '*.csv', doneMarker: '.done' } });
    await runDue(marked.id);
    await paused(marked.id);
  });

  it('of the token that has saved it pauses it, and is told once', async () => {
    const { token, id: tokenId } = await createToken(world.db, { accountId: shop.account, name: 'leaving' });
    const leaving = new Shop(world.api, shop.account, token, shop.siteId);
    const { id } = await leaving.ask('POST', '/feeds', { body: folder.body({ schedule: daily() }) });
    await revokeToken(world.db, tokenId);
    await makeDue(id);
    for (let time = 0; time < 2; time++) await tendAllFeeds(world.services);
    assert.equal((await folder.get(id)).state, 'PAUSED');
    const [event, ...others] = await told();
    assert.deepEqual(
      [event.feedId, event.code, event.jobId, event.nextRunAt, others],
      [id, 'FEED_PAUSED', null, null, []],
    );
    assert.match(event.message, /was revoked/);
    const saved = await shop.ask('PATCH', `/feeds/${id}`, { body: { name: 'Renamed' } });
    assert.equal(saved.state, 'PAUSED');
    assert.match(saved.pauseReason, /saved again.*ACTIVE/, 'somebody else is responsible for it');
    const resumed = await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'ACTIVE' } });
    assert.deepEqual([resumed.pauseReason, resumed.nextRunAt], [null, resumed.nextTimes[0]]);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
    assert.match((await shop.ask('PATCH', `/feeds/${id}`, { body: { name: 'ERP' } })).pauseReason, /on request/);
  });
});
