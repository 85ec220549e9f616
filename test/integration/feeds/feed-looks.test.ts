/** Feeds that are looked at every so often: they run when something new has arrived, and only then. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { claimLook } from '../../../src/domain/feeds/claim-look.js';
import { feedEnvironment } from '../../../src/domain/feeds/feed-environment.js';
import { lookForNew } from '../../../src/domain/feeds/look-for-new.js';
import { noteLook } from '../../../src/domain/feeds/note-look.js';
import { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const OFTEN = { everySeconds: 15 };
const WITHIN_MS = 20_000;

describe('a feed that is looked at every so often', function () {
  this.timeout(60_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
  before(async () => {
    folders = await makeFeedFolder();
    const environment = { FEED_FOLDERS: folders.allowed, UPLOAD_MAX_MB: '1' };
    world = await startWorld({ files: 'in a folder', environment });
    // They look once, when there is nothing yet: what is due later is looked at by the tests alone.
    const config = { ...world.services.config, reconcileMs: 24 * 3_600_000 };
    await world.startWorkers({ config }, ['bulk', 'export']);
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

  const makeDue = (id: string) => world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
  const claim = () => world.db.transaction(claimLook);
  /** Looks at it once, as a worker does. */
  const look = async (id: string) => {
    const { services, db } = world;
    await runsEnded(id);
    await makeDue(id);
    const claimed = await claim();
    assert.ok(claimed !== null && claimed !== 'paused' && claimed.id === id);
    const seen = await lookForNew(db, feedEnvironment(services.config), claimed, AbortSignal.timeout(WITHIN_MS)).catch(
      (error: unknown) => {
        if (error instanceof RemoteFailure) return { code: error.code, message: error.message };
        throw error;
      },
    );
    await enqueueEntries(
      services.producer,
      await db.transaction((trx) => noteLook(trx, claimed, seen)),
      services.logger,
    );
  };
  const runsEnded = async (id: string) => {
    for (const { jobId } of await folder.runs(id)) await untilEnded(shop, jobId);
    return folder.runs(id);
  };

  it('makes no job while nothing new is there, and one run of what has arrived', async () => {
    await folder.putItem('A');
    const { id, schedule, nextTimes, nextRunAt } = await folder.make({ schedule: OFTEN });
    assert.deepEqual([schedule, nextTimes[0]], [OFTEN, nextRunAt]);
    await folder.run(id);
    for (let time = 0; time < 5; time++) await look(id);
    assert.equal((await shop.ask('GET', '/jobs/product?type=FEED_RUN')).count, 1);
    assert.notEqual((await folder.get(id)).lastLookAt, null);
    await folder.putItem('B');
    await folder.putItem('C');
    for (let time = 0; time < 2; time++) await look(id);
    const [run, ...others] = await runsEnded(id);
    assert.deepEqual([run?.cause, run?.report.taken, run?.lateByMinutes, others.length], ['ARRIVAL', 2, 0, 1]);
    for (let time = 0; time < 3; time++) await look(id);
    assert.equal((await folder.runs(id)).length, 2);
    assert.deepEqual((await folder.imports()).length, 3);
  });

  it('is looked at by the workers, from its time until a file is imported', async () => {
    const config = { ...world.services.config, reconcileMs: 50 };
    const looking = await world.startWorkers({ config }, ['export']);
    const { id } = await folder.make({ schedule: OFTEN });
    await folder.putItem('A');
    await makeDue(id);
    await until('it was imported', async () => (await folder.imports()).length === 1, WITHIN_MS);
    await looking.stop();
    const [run, ...others] = await runsEnded(id);
    assert.deepEqual([run?.cause, others], ['ARRIVAL', []]);
  });

  it('makes no job of a file that grows, and one when it is complete', async () => {
    await writeFile(join(folder.path, 'grows.csv'), 'Category Node,SKU,Title\n');
    const { id } = await folder.make({ schedule: OFTEN });
    for (let row = 0; row < 4; row++) {
      await appendFile(join(folder.path, 'grows.csv'), `Shelf,G${row},One\n`);
      await look(id);
    }
    assert.deepEqual(await folder.runs(id), []);
    await look(id);
    await runsEnded(id);
    const [job] = await folder.imports();
    assert.equal((await shop.outcome(job.id)).created, 4);
  });

  it('takes a file with a marker as soon as that is there', async () => {
    await folder.putItem('A');
    const { id } = await folder.make({ schedule: OFTEN, pick: { pattern: '*.csv', doneMarker: '.done' } });
    for (let time = 0; time < 3; time++) await look(id);
    assert.deepEqual(await folder.runs(id), []);
    await folder.put('A.csv.done', '');
    await look(id);
    const [run] = await runsEnded(id);
    assert.equal(run?.report.taken, 1);
  });

  it('moves away what a death has left, and runs not again for what it does not take', async () => {
    await folder.putItem('A');
    await folder.put('notes.txt', 'nothing');
    const { id } = await folder.make({ schedule: OFTEN, afterwards: { moveTo: 'done' } });
    await folder.run(id);
    await folder.putItem('A');
    for (let time = 0; time < 2; time++) await look(id);
    const runs = await runsEnded(id);
    for (let time = 0; time < 3; time++) await look(id);
    assert.deepEqual([(await folder.runs(id)).length, await folder.names()], [runs.length, ['notes.txt']]);
    assert.equal((await folder.imports()).length, 1);
  });

  it('has a run for a file that cannot be taken, which fails, and others are taken as before', async () => {
    await folder.put('huge.csv', 'x'.repeat(1024 * 1024 + 1));
    const { id } = await folder.make({ schedule: OFTEN });
    for (let time = 0; time < 2; time++) await look(id);
    await runsEnded(id);
    const { failures, lastFailure, nextRunAt } = await folder.get(id);
    assert.deepEqual([failures, lastFailure.code], [1, 'TOO_LARGE']);
    assert.ok(Date.parse(nextRunAt) <= Date.now() + 15_000, nextRunAt);
    for (let time = 0; time < 3; time++) await look(id);
    assert.equal((await folder.runs(id)).length, 1, 'it is tried again after an hour');
    assert.equal((await folder.get(id)).lastFailure.code, 'TOO_LARGE');
    await folder.putItem('A');
    for (let time = 0; time < 2; time++) await look(id);
    const taken = await runsEnded(id);
    assert.deepEqual(
      taken.map(({ cause, report }) => [cause, report.taken]),
      [
        ['ARRIVAL', 1],
        ['ARRIVAL', 0],
      ],
    );
    await world
      .db('feed')
      .where({ id })
      .update({ last_run_at: world.db.raw("now() - interval '61 minutes'") });
    for (let time = 0; time < 2; time++) await look(id);
    assert.equal((await runsEnded(id)).length, 3);
    await rm(join(folder.path, 'huge.csv'));
    await look(id);
    const { failures: none, lastFailure: nothing } = await folder.get(id);
    assert.deepEqual([none, nothing], [0, null], 'there is nothing that could fail');
  });

  it('counts a look that fails as a failed run, and tells it', async () => {
    await shop.ask('POST', '/api/v2/webhook', {
      body: webhookBody({ source: 'CATALOG', events: ['FEED_RUN_FAILED'] }),
    });
    const path = join(folder.path, 'later');
    const { id } = await folder.make({ schedule: OFTEN, connection: { kind: 'folder', path } });
    for (const [failures, seconds] of [
      [1, 60],
      [2, 300],
    ] as const) {
      await look(id);
      const feed = await folder.get(id);
      assert.deepEqual([feed.failures, feed.lastFailure.code], [failures, 'NOT_FOUND']);
      const wait = (Date.parse(feed.nextRunAt) - Date.now()) / 1000;
      assert.ok(wait > seconds - 30 && wait <= seconds + 1, `${wait} s`);
    }
    const events = await world.db('event').where({ site_id: shop.siteId, event: 'FEED_RUN_FAILED' });
    assert.deepEqual(
      events.map(({ payload }) => JSON.parse(payload).jobId),
      [null, null],
    );
    assert.deepEqual(await folder.runs(id), [], 'a look is no job');
    await mkdir(path);
    await look(id);
    const feed = await folder.get(id);
    assert.deepEqual([feed.failures, feed.lastFailure], [0, null]);
  });

  it('pauses when the token that saved it was revoked', async () => {
    const { token, id: tokenId } = await createToken(world.db, { accountId: shop.account, name: 'leaving' });
    const leaving = new Shop(world.api, shop.account, token, shop.siteId);
    const { id } = await leaving.ask('POST', '/feeds', { body: folder.body({ schedule: OFTEN }) });
    await revokeToken(world.db, tokenId);
    await makeDue(id);
    assert.equal(await claim(), 'paused');
    assert.match((await folder.get(id)).pauseReason, /was revoked/);
  });

  it('says what is wrong with such a schedule', async () => {
    for (const [schedule, message] of [
      [{ everySeconds: 14 }, /everySeconds.*15/],
      [{ everySeconds: 3_601 }, /everySeconds.*3600/],
      [{ everySeconds: 60, cron: '* * * * *' }, /everySeconds.*leave cron and timeZone out/],
      [{}, /schedule.cron.*everySeconds/],
      [{ cron: '* * * * *' }, /timeZone.*is missing/],
    ] as const) {
      const { status, text } = await shop.call('POST', '/feeds', { body: folder.body({ schedule }) });
      assert.deepEqual([status, message.test(text)], [400, true], text);
    }
  });

  describe('by several processes', () => {
    const makeDueNow = async (over: object = {}) => {
      const { id } = await folder.make({ schedule: OFTEN, ...over });
      await makeDue(id);
      return id as string;
    };

    it('is looked at by one of them, and by the next when that one has died', async () => {
      const id = await makeDueNow();
      const claims = (await Promise.all([1, 2, 3, 4].map(claim))).filter((one) => one !== null);
      assert.equal(claims.length, 1);
      assert.equal(await claim(), null);
      const [dead] = claims;
      assert.ok(dead !== undefined && dead !== 'paused');
      await world
        .db('feed')
        .where({ id })
        .update({ look_until: world.db.raw("now() - interval '1 second'") });
      const next = await claim();
      assert.ok(next !== null && next !== 'paused');
      const found = { found: ['a'], complete: new Set(['a']) };
      assert.deepEqual(await world.db.transaction((trx) => noteLook(trx, dead, found)), [], 'it is not dead, but late');
      assert.equal((await folder.runs(id)).length, 0);
      assert.notDeepEqual(await world.db.transaction((trx) => noteLook(trx, next, found)), []);
      assert.equal((await folder.runs(id)).length, 1);
    });

    it('is looked at beside one other feed of its stage at most', async () => {
      for (const name of ['one', 'two', 'three']) await makeDueNow({ name });
      await world.db.transaction(async (trx) => {
        assert.notEqual(await claimLook(trx), null);
        assert.deepEqual(await Promise.all([claim(), claim()]), [null, null], 'another process is just choosing');
      });
      const claims = await Promise.all([claim(), claim(), claim()]);
      assert.equal(claims.filter((one) => one !== null).length, 1, 'one of this stage is looked at already');
      assert.equal(await claim(), null, 'two of this stage are looked at');
      const other = await world.newShop();
      const others = await folders.of(other);
      const { id } = await others.make({ schedule: OFTEN });
      await makeDue(id);
      const claimed = await claim();
      assert.ok(claimed !== null && claimed !== 'paused');
      assert.equal(claimed.id, id);
    });

    it('is looked at beside those of others, however many stages one account has', async () => {
      for (const stage of ['one', 'two', 'three']) {
        const { id } = await shop.ask('POST', '/feeds', {
          body: folder.body({ schedule: OFTEN }),
          context: { stage },
        });
        await makeDue(id);
      }
      assert.deepEqual(
        [await claim(), await claim(), await claim()].map((one) => one !== null),
        [true, true, false],
        'two of this account are looked at',
      );
    });

    it('is looked at anew when it was changed meanwhile', async () => {
      const id = await makeDueNow();
      const claimed = await claim();
      assert.ok(claimed !== null && claimed !== 'paused');
      await shop.ask('PATCH', `/feeds/${id}`, { body: { name: 'Other' } });
      const found = { found: ['a'], complete: new Set(['a']) };
      assert.deepEqual(await world.db.transaction((trx) => noteLook(trx, claimed, found)), []);
      assert.deepEqual([await folder.runs(id), (await claim()) === null], [[], false]);
    });
  });
});
