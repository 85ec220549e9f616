/** Feeds as the API saves them: what is refused, what is never shown, and who may. */
import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { resealColumns } from '../../../src/domain/access/reseal-secrets.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { feedEnvironment } from '../../../src/domain/feeds/feed-environment.js';
import { openSecrets, SECRETS_OF_FEEDS } from '../../../src/domain/feeds/feed-secrets.js';
import { openFeedFolder } from '../../../src/domain/feeds/open-feed.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { Shop } from '../../support/http/shop.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SFTP = { kind: 'sftp', host: 'sftp.shop.example', port: 22, user: 'longshore', path: '/out', hostKey: null };
const SCHEDULE = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };

describe('feeds', function () {
  this.timeout(30_000);
  let folders: FeedFolder;
  let world: World;
  let shop: Shop;
  let folder: ShopFolder;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });
  beforeEach(async () => {
    shop = await world.newShop();
    folder = await folders.of(shop);
  });

  const refused = async (over: object, status = 400): Promise<string> => {
    const answer = await shop.post('/feeds', folder.body(over));
    assert.equal(answer.status, status, answer.text);
    return answer.text;
  };
  const withScopes = async (...scopes: string[]) => {
    const { token, id } = await createToken(world.db, { accountId: shop.account, name: 'limited', scopes });
    return { id, shop: new Shop(world.api, shop.account, token, shop.siteId) };
  };

  it('are saved, listed by name, read, changed and deleted', async () => {
    const made = await folder.make({
      name: 'Nightly',
      schedule: SCHEDULE,
      expectWithinMinutes: 60,
      channel: undefined,
    });
    assert.deepEqual(
      [made.state, made.version, made.hasSecret, made.failures, made.nextTimes.length, made.nextRunAt],
      ['ACTIVE', 1, false, 0, 5, made.nextTimes[0]],
    );
    await folder.make({ name: 'Another' });
    const { data, count } = await shop.ask('GET', '/feeds');
    assert.deepEqual([data.map(({ name }: { name: string }) => name), count], [['Another', 'Nightly'], 2]);
    const paused = await shop.ask('PATCH', `/feeds/${made.id}`, { body: { state: 'PAUSED', version: 1 } });
    assert.deepEqual([paused.state, paused.nextRunAt, paused.version], ['PAUSED', null, 2]);
    assert.match(paused.pauseReason, /on request/);
    const resumed = await shop.ask('PATCH', `/feeds/${made.id}`, { body: { state: 'ACTIVE' } });
    assert.deepEqual([resumed.state, resumed.nextRunAt, resumed.pauseReason], ['ACTIVE', made.nextRunAt, null]);
    const stale = await shop.call('PATCH', `/feeds/${made.id}`, { body: { name: 'X', version: 2 } });
    assert.deepEqual([stale.status, stale.body.code], [409, 'FEED_CHANGED'], stale.text);
    const same = await shop.call('PATCH', `/feeds/${made.id}`, { body: { name: 'another' } });
    assert.deepEqual([same.status, same.body.code], [409, 'FEED_EXISTS'], same.text);
    assert.equal((await shop.ask('DELETE', `/feeds/${made.id}`)).id, made.id);
    assert.equal((await shop.get(`/feeds/${made.id}`)).status, 404);
  });

  it('of others are not there', async () => {
    const { id } = await folder.make();
    const other = await world.newShop();
    for (const [method, path] of [
      ['GET', `/feeds/${id}`],
      ['DELETE', `/feeds/${id}`],
      ['GET', `/feeds/${id}/runs`],
      ['GET', `/feeds/${id}/files`],
      ['POST', `/feeds/${id}/actions/run`],
      ['GET', `/feeds/${newId()}`],
      ['GET', '/feeds/none'],
    ] as const) {
      assert.equal((await other.call(method, path)).status, 404, `${method} ${path}`);
    }
    assert.equal((await other.call('PATCH', `/feeds/${id}`, { body: { name: 'mine' } })).status, 404);
    assert.equal((await other.post('/feeds/actions/test', { feedId: id })).status, 404);
  });

  it('say where a body is wrong and why', async () => {
    assert.match(await refused({ schedule: { ...SCHEDULE, cron: '61 * * * *' } }), /schedule\.cron.*minute: 61/);
    assert.match(await refused({ schedule: { ...SCHEDULE, cron: '0 0 30 2 *' } }), /never comes/);
    assert.match(
      await refused({ schedule: { ...SCHEDULE, timeZone: 'Mars/Base' } }),
      /schedule\.timeZone.*Europe\/Berlin/,
    );
    assert.match(await refused({ connection: { kind: 'folder', path: '/etc' } }), /connection\.path.*FEED_FOLDERS/);
    const elsewhere = (await folders.of(await world.newShop())).path;
    assert.match(await refused({ connection: { kind: 'folder', path: elsewhere } }), /FEED_FOLDERS/);
    assert.match(await refused({ connection: { kind: 'folder', path: `${folder.path}/..` } }), /FEED_FOLDERS/);
    const https = { kind: 'https', url: 'https://shop.example/a.csv' };
    assert.match(await refused({ connection: https, afterwards: 'delete' }), /afterwards.*neither moved nor deleted/);
    assert.match(await refused({ connection: { kind: 'ftp', path: '/x' } }), /connection/);
    assert.match(
      await refused({ connection: { kind: 'sftp', host: 'x', path: '/' } }),
      /connection\.user.*sftp needs it/,
    );
    assert.match(
      await refused({ connection: { kind: 'folder', path: '/x', host: 'y' } }),
      /connection\.host.*leave it out/,
    );
    assert.match(await refused({ connection: { kind: 'https', url: 'http://shop.example/a.csv' } }), /https:/);
    assert.match(
      await refused({ connection: { kind: 'https', url: 'https://a:b@shop.example/a.csv' } }),
      /auth and secret/,
    );
    assert.match(await refused({ pick: { pattern: '../*.csv' } }), /pick\.pattern/);
    assert.match(await refused({ pick: { pattern: 'in/*.csv' } }), /without folders/);
    assert.match(await refused({ afterwards: { moveTo: '../done' } }), /afterwards/);
    assert.match(await refused({ fileType: 'SITE_IMPORT' }), /fileType/);
    assert.match(await refused({ options: { profile: 'None' } }, 404), /None/);
    assert.match(await refused({ options: { sheet: 'A', delimiter: ';' } }), /options\./);
    assert.match(await refused({ options: { callbackUrl: 'https://x.example' } }), /callbackUrl/);
    assert.match(await refused({ passphrase: 'x' }), /passphrase.*send the key/);
    assert.match(await refused({ name: '' }), /name/);
    assert.match(await refused({ expectWithinMinutes: 0 }), /expectWithinMinutes/);
    await folder.make();
    assert.match(await refused({ name: 'erp' }, 409), /FEED_EXISTS/);
    assert.deepEqual((await shop.ask('GET', '/feeds')).count, 1);
  });

  it('never answer a secret, and send it to nobody else', async () => {
    const made = await folder.make({ connection: SFTP, secret: 'hunter2', passphrase: 'opensesame' });
    const id = made.id as string;
    const answers = [
      made,
      await shop.ask('GET', `/feeds/${id}`),
      await shop.ask('GET', '/feeds'),
      await shop.ask('PATCH', `/feeds/${id}`, { body: { name: 'Other' } }),
    ];
    for (const answer of answers) assert.doesNotMatch(JSON.stringify(answer), /hunter2|opensesame/);
    assert.equal(answers[3].hasSecret, true, 'it stays when it is not sent');
    const row = await world.db('feed').where({ id }).first();
    assert.doesNotMatch(JSON.stringify(row), /hunter2|opensesame/);
    const thief = { ...SFTP, host: 'thief.example' };
    for (const [method, path, body] of [
      ['PATCH', `/feeds/${id}`, { connection: thief }],
      ['POST', '/feeds/actions/test', { feedId: id, connection: thief }],
    ] as const) {
      const answer = await shop.call(method, path, { body });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /secret.*another server/);
    }
    const moved = await shop.ask('PATCH', `/feeds/${id}`, { body: { connection: thief, secret: null } });
    assert.equal(moved.hasSecret, false);
    const audit = await world.db('audit_entry').where({ account_id: shop.account });
    assert.doesNotMatch(JSON.stringify(audit), /hunter2/);
    assert.ok(
      audit.some(({ action }) => action === 'FEED_CREATED') && audit.some(({ action }) => action === 'FEED_UPDATED'),
    );
  });

  it('have secrets that can be sealed under a new key', async () => {
    const { id } = await folder.make({ connection: SFTP, secret: 'hunter2' });
    const { secretsKeys } = world.services.config;
    const newKey = 'another-key-of-this-test-which-is-long-enough';
    assert.equal((await resealColumns(world.db, [newKey, ...secretsKeys], SECRETS_OF_FEEDS)).resealed, 1);
    await world.db('feed').where({ id }).delete();
  });

  it('can be changed, and given another secret, when the key that encrypted theirs is lost', async () => {
    const { id } = await folder.make({ connection: SFTP, secret: 'hunter2' });
    const lost = 'another-key-of-this-test-which-is-long-enough';
    await resealColumns(world.db, [lost, ...world.services.config.secretsKeys], SECRETS_OF_FEEDS);
    const paused = await shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
    assert.deepEqual([paused.state, paused.hasSecret], ['PAUSED', true]);
    const tested = await shop.call('POST', '/feeds/actions/test', { body: { feedId: id } });
    assert.equal(tested.status, 400, tested.text);
    assert.match(tested.text, /send the secret again, or null for none: the key .* is lost/);
    const environment = feedEnvironment(world.services.config);
    const feed = await world.db('feed').where({ id }).first();
    const opening = openFeedFolder({ db: world.db, environment }, feed, feed.connection, new AbortController().signal);
    await assert.rejects(opening, (error: RemoteFailure) => error.code === 'REFUSED_LOGIN' && !error.isTransient);
    await shop.ask('PATCH', `/feeds/${id}`, { body: { secret: 'hunter3' } });
    const kept = await world.db('feed').where({ id }).first();
    assert.equal(openSecrets(world.services.config.secretsKeys, kept).secret, 'hunter3');
    await world.db('feed').where({ id }).delete();
  });

  it('need feeds:write to be saved, feeds:read to be read, and no more than who saves them may do', async () => {
    const { id } = await folder.make();
    const reader = await withScopes('feeds:read');
    assert.equal((await reader.shop.get(`/feeds/${id}`)).status, 200);
    assert.equal((await reader.shop.call('DELETE', `/feeds/${id}`)).status, 403);
    assert.equal((await (await withScopes('catalog:read')).shop.get('/feeds')).status, 403);
    const weak = await withScopes('feeds:write');
    const answer = await weak.shop.post('/feeds', folder.body({ name: 'Weak' }));
    assert.deepEqual([answer.status, /catalog:write/.test(answer.text)], [403, true], answer.text);
    const proposing = await withScopes('feeds:write', 'catalog:propose');
    assert.equal((await proposing.shop.post('/feeds', folder.body({ name: 'P' }))).status, 403);
    const asking = folder.body({ name: 'P', options: { requireApproval: true } });
    assert.equal((await proposing.shop.post('/feeds', asking)).status, 200);
  });

  it('are tried before they are saved, and say what a run would take', async () => {
    await folder.putItem('A');
    await folder.put('notes.txt', 'nothing');
    await symlink('/etc/passwd', join(folder.path, 'passwd.csv'));
    const body = folder.body();
    const test = await shop.ask('POST', '/feeds/actions/test', { body: { ...body, direction: 'SOURCE' } });
    assert.deepEqual([test.reached, test.failure, test.seen, test.more], [true, null, 2, false]);
    const fates = test.files.map(({ name, fate }: { name: string; fate: string }) => [name, fate]);
    assert.deepEqual(fates, [
      ['A.csv', 'NEW'],
      ['notes.txt', 'REFUSED'],
    ]);
    const marked = { ...body, pick: { doneMarker: '.done', pattern: '*.csv' } };
    assert.equal((await shop.ask('POST', '/feeds/actions/test', { body: marked })).files[0].fate, 'WAITING');
    const missing = { kind: 'folder', path: join(folder.path, 'none') };
    const { failure } = await shop.ask('POST', '/feeds/actions/test', { body: { connection: missing } });
    assert.equal(failure.code, 'NOT_FOUND');
    assert.equal((await shop.post('/feeds/actions/test', {})).status, 400);
    assert.equal((await shop.ask('GET', '/feeds')).count, 0, 'nothing is saved');
  });

  it('say when a schedule that is not saved would run, without a connection', async () => {
    const only = await shop.ask('POST', '/feeds/actions/test', { body: { schedule: SCHEDULE } });
    const { id, nextTimes } = await folder.make({ schedule: SCHEDULE });
    assert.deepEqual([only.reached, only.failure, only.nextTimes], [false, null, nextTimes]);
    const other = { feedId: id, schedule: { ...SCHEDULE, cron: '0 * * * *' } };
    const hourly = (await shop.ask('POST', '/feeds/actions/test', { body: other })).nextTimes;
    assert.equal(Date.parse(hourly[1]) - Date.parse(hourly[0]), 3_600_000);
    const wrong = await shop.post('/feeds/actions/test', { schedule: { ...SCHEDULE, cron: '61 * * * *' } });
    assert.deepEqual([wrong.status, /schedule\.cron/.test(wrong.text)], [400, true], wrong.text);
    assert.equal((await shop.post('/feeds/actions/test', { schedule: null })).status, 400);
  });
});
