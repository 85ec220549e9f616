/** Addresses that have a feed run when they are called: for webhooks of storages and ERPs, which have no token. */
import assert from 'node:assert/strict';
import { resealColumns } from '../../../src/domain/access/reseal-secrets.js';
import { fileAtAddress } from '../../../src/domain/exports/published-files.js';
import { accountOfTrigger, KEYS_OF_TRIGGERS } from '../../../src/domain/feeds/triggers.js';
import { tendAllFeeds } from '../../../src/workers/maintenance/tend-feeds.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SOME_RULES = { everySeconds: 3_600 };

describe('the address that triggers a feed', function () {
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

  const addressOf = async (id: string): Promise<string> =>
    (await shop.ask('POST', `/feeds/${id}/actions/renew-trigger`)).url;
  /** As a program calls it that knows nothing but the address. */
  const call = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, { method: 'POST', ...init });
    return { status: answer.status, text: await answer.text() };
  };
  const UNDERSTOOD = { status: 202, text: '{}' };

  it('has it run without a token, whatever is sent along', async () => {
    const { id } = await folder.make();
    const url = await addressOf(id);
    assert.match(url, /\/feed-triggers\/lsg_[\w-]{43}$/);
    assert.equal((await shop.ask('GET', `/feeds/${id}/trigger`)).url, url);
    await folder.putItem('A');
    const body = JSON.stringify({ Records: [{ eventName: 'ObjectCreated:Put' }] });
    assert.deepEqual(await call(url, { body, headers: { 'content-type': 'application/json' } }), UNDERSTOOD);
    const { lastJobId } = await folder.get(id);
    await untilEnded(shop, lastJobId);
    const [run, ...others] = await folder.runs(id);
    assert.deepEqual([run?.cause, run?.report.taken, others], ['TRIGGER', 1, []]);
    const job = await shop.ask('GET', `/jobs/${lastJobId}`);
    assert.equal(job.submittedBy.actor, `feed:${id}`);
  });

  it('has it run once more when it is called while a run goes on, however often', async () => {
    await folder.putItem('A');
    const { id } = await folder.make({ pick: { settleSeconds: 300 }, schedule: SOME_RULES });
    const url = await addressOf(id);
    for (let time = 0; time < 5; time++) assert.deepEqual(await call(url), UNDERSTOOD);
    await tendAllFeeds(world.services);
    assert.equal((await folder.runs(id)).length, 1);
    const nextRunAt = (await folder.get(id)).nextRunAt;
    await shop.ask('POST', `/jobs/${(await folder.get(id)).lastJobId}/actions/cancel`);
    await tendAllFeeds(world.services);
    assert.equal((await folder.runs(id)).length, 1, 'ten seconds lie between the runs');
    await world.db('feed').where({ id }).update({ asked_for: world.db.fn.now() });
    await tendAllFeeds(world.services);
    await tendAllFeeds(world.services);
    const runs = await folder.runs(id);
    assert.deepEqual(
      runs.map(({ cause }) => cause),
      ['TRIGGER', 'TRIGGER'],
    );
    assert.equal((await folder.get(id)).nextRunAt, nextRunAt, 'the schedule is as it was');
    await shop.ask('POST', `/jobs/${runs[0]?.jobId}/actions/cancel`);
    await tendAllFeeds(world.services);
    assert.equal((await folder.runs(id)).length, 2);
  });

  it('answers a paused feed alike, which does not run then or later', async () => {
    const { id } = await folder.make();
    const url = await addressOf(id);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
    assert.deepEqual(await call(url), UNDERSTOOD);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'ACTIVE' } });
    await tendAllFeeds(world.services);
    assert.deepEqual(await folder.runs(id), []);
  });

  it('answers no more when it was renewed or deleted, as one that never was', async () => {
    const { id } = await folder.make();
    assert.equal((await shop.get(`/feeds/${id}/trigger`)).status, 404);
    assert.equal((await shop.call('DELETE', `/feeds/${id}/trigger`)).status, 404);
    const first = await addressOf(id);
    const second = await addressOf(id);
    const unknown = await call(`${world.api.url}/feed-triggers/lsg_${'x'.repeat(43)}`);
    assert.equal(unknown.status, 404);
    assert.deepEqual(await call(first), unknown);
    assert.deepEqual(await call(second), UNDERSTOOD);
    await shop.ask('DELETE', `/feeds/${id}/trigger`);
    assert.deepEqual(await call(second), unknown);
    const third = await addressOf(id);
    await shop.ask('DELETE', `/feeds/${id}`);
    assert.deepEqual(await call(third), unknown);
  });

  it('is found among a thousand that there are not, by few statements, and so is that of a published file', async () => {
    const { id } = await folder.make();
    const key = (await addressOf(id)).split('/').at(-1) ?? '';
    const wrong = Array.from({ length: 1_000 }, (_, number) => `lsg_${number}`);
    let statements = 0;
    const count = () => statements++;
    world.db.on('query', count);
    const [owners, files] = await Promise.all([
      Promise.all([...wrong, key].map((one) => accountOfTrigger(world.db, one))),
      Promise.all(wrong.map((one) => fileAtAddress(world.db, one))),
    ]);
    world.db.removeListener('query', count);
    assert.deepEqual(
      owners.flatMap((owner) => (owner === undefined ? [] : [owner.accountId])),
      [shop.account],
    );
    assert.deepEqual(new Set(files), new Set([undefined]));
    assert.ok(statements <= 20, `${statements} statements`);
  });

  it('counts as a request of the account that has a quota of them', async () => {
    const { id } = await folder.make();
    const url = await addressOf(id);
    await world
      .db('account')
      .where({ id: shop.account })
      .update({ quotas: JSON.stringify({ requests: 1 }) });
    const answers = [await call(url), await call(url), await call(url)];
    const refused = answers.find(({ status }) => status === 429);
    assert.match(refused?.text ?? '', /called too often/);
    assert.doesNotMatch(refused?.text ?? '', /account/);
  });

  it('is kept as a digest and sealed, and sealed again under a new key', async () => {
    const { id } = await folder.make();
    const key = (await addressOf(id)).split('/').at(-1) ?? '';
    const rows = await world.db('feed_trigger').where({ feed_id: id });
    assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(key));
    const newKey = 'another-key-of-this-test-which-is-long-enough';
    const { resealed } = await resealColumns(
      world.db,
      [newKey, ...world.services.config.secretsKeys],
      KEYS_OF_TRIGGERS,
    );
    assert.ok(resealed >= 1);
    // The new key was lost.
    assert.equal((await shop.ask('GET', `/feeds/${id}/trigger`)).url, null);
    assert.match((await shop.ask('POST', `/feeds/${id}/actions/renew-trigger`)).url, /feed-triggers/);
    await resealColumns(world.db, [newKey, ...world.services.config.secretsKeys], KEYS_OF_TRIGGERS);
    assert.equal((await shop.ask('DELETE', `/feeds/${id}/trigger`)).url, null);
    await world.db('feed_trigger').delete();
  });
});
