/** The command line, and feeds. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilEnded } from '../support/http/until-ended.js';
import { type Run, run } from '../support/worlds/command-line.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../support/worlds/feed-folder.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { skipWithoutSshd, startTestSshd } from '../support/worlds/test-sshd.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the command line, and feeds', function () {
  this.timeout(120_000);
  let world: World;
  let folders: FeedFolder;
  let open: OpenFolder;
  let folder: ShopFolder;

  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({
      workers: true,
      files: 'in a folder',
      environment: { FEED_FOLDERS: folders.allowed, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    });
    open = makeOpenFolder();
    const shop = await (await world.newShop()).define({
      attributes: ['Title'],
      categories: { Shelf: ['Title'] },
      mapping: { title: 'Title' },
    });
    folder = await folders.of(shop);
    mkdirSync(join(open.path, '.data'));
    const credentials = { baseUrl: world.api.url, account: shop.account, token: shop.token };
    writeFileSync(join(open.path, '.data', 'credentials.json'), JSON.stringify(credentials));
  });
  after(async () => {
    await world?.stop();
    open?.remove();
    await folders?.remove();
  });

  const here = (...args: string[]): Promise<Run> =>
    run(['feeds', ...args], { cwd: open.path, env: { LONGSHORE_CONFIG_DIR: join(open.path, 'config'), TZ: 'UTC' } });

  it('tests a feed before it is saved, runs it by its name, and says what the runs did', async () => {
    const none = await here('list');
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /There are no feeds in this stage/);
    await folder.putItem('A');
    writeFileSync(join(open.path, 'feed.json'), JSON.stringify(folder.body()));
    const test = await here('test', '--file', 'feed.json');
    assert.equal(test.code, 0, test.stderr);
    assert.match(test.stdout, /^1 file\n/);
    assert.match(test.stdout, /A\.csv +\S+ \w+ +\S+.* takes it/);
    const { id } = await folder.make({ schedule: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' } });
    const first = await here('run', 'erp');
    assert.deepEqual([first.code, first.stdout.split(';')[0]], [0, 'COMPLETED: 1 new file taken'], first.stderr);
    const listed = await here('list');
    assert.match(listed.stdout, /^NAME +FILES +STATE +LAST RUN +LAST FILE +NEXT RUN +FAILED RUNS\n/);
    assert.match(listed.stdout, /ERP +from folder +ACTIVE +COMPLETED .*\d+:30.* 0\n/);
    await folder.shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'PAUSED' } });
    assert.match(
      (await here('list')).stdout,
      /ERP +from folder +PAUSED +COMPLETED .* - +0\n/,
      'it does not run at all',
    );
    await folder.shop.ask('PATCH', `/feeds/${id}`, { body: { state: 'ACTIVE' } });
    const runs = JSON.parse((await here('runs', id, '--json')).stdout);
    assert.deepEqual([runs.length, runs[0].report.taken], [1, 1]);
    const shown = (await here('runs', 'ERP')).stdout;
    assert.match(shown, /^STARTED +WHY +STATUS +FILES +CREATED +UPDATED +REMOVED +FAILED ROWS +JOB +MESSAGE\n/);
    for (const { id: jobId } of await folder.imports()) await untilEnded(folder.shop, jobId);
    assert.match((await here('runs', 'ERP')).stdout, /REQUEST +COMPLETED +1 +1 +0 +0 +0 /);
    assert.match((await here('test', 'ERP')).stdout, /has taken it/);
  });

  it('has a file taken again by its name, and says what the brake has stopped', async () => {
    const all = { scope: 'feed', missing: 'delete' };
    const pick = { pattern: 'all*.csv', settleSeconds: 0 };
    const { id } = await folder.make({ name: 'Whole', pick, options: { snapshot: all } });
    const taken = async (...skus: string[]) => {
      await folder.put('all.csv', `Category Node,SKU,Title\n${skus.map((sku) => `Shelf,${sku},One\n`).join('')}`);
      const done = await here('run', 'Whole');
      assert.equal(done.code, 0, done.stderr);
      for (const { id: jobId } of await folder.imports()) await untilEnded(folder.shop, jobId);
    };
    await taken('P', 'Q');
    await taken('P');
    assert.match(
      (await here('runs', 'Whole')).stdout,
      /the brake has stopped the removals of all\.csv: 1 of 2 items .*take-again/,
    );
    assert.match((await here('list')).stdout, /Whole +from folder +ACTIVE +COMPLETED, brake /);
    const options = { snapshot: { ...all, maxMissingPercent: 100 } };
    await folder.shop.ask('PATCH', `/feeds/${id}`, { body: { options } });
    assert.match((await here('run', 'Whole')).stdout, /^COMPLETED: no new file was taken/);
    const again = await here('run', 'Whole', '--again', 'all.csv');
    assert.deepEqual([again.code, again.stdout.split(';')[0]], [0, 'COMPLETED: 1 new file taken'], again.stderr);
    for (const { id: jobId } of await folder.imports()) await untilEnded(folder.shop, jobId);
    assert.match((await here('runs', 'Whole')).stdout, /\n.*REQUEST +COMPLETED +1 +0 +0 +1 +0 /);
    const unknown = await here('run', 'Whole', '--again', 'none.csv');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /has taken no file "none\.csv"/);
  });

  it('saves a destination, tests it by a small file, runs it, and changes it', async () => {
    writeFileSync(join(open.path, 'to.json'), JSON.stringify(folder.destinationBody({ after: { feed: 'ERP' } })));
    const test = await here('test', '--file', 'to.json');
    assert.deepEqual([test.code, test.stdout], [0, 'A file can be written there\n'], test.stderr);
    const saved = await here('save', '--file', 'to.json');
    assert.deepEqual([saved.code, saved.stdout], [0, 'Marketplace was saved\n'], saved.stderr);
    const first = await here('run', 'Marketplace');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^COMPLETED: items-000001\.csv was sent: \d+ rows?, \d+ bytes, whole\n$/);
    assert.match((await here('runs', 'Marketplace')).stdout, /REQUEST +COMPLETED +1 /);
    assert.match((await here('list')).stdout, /Marketplace +to folder +ACTIVE .* after ERP +0\n/);
    writeFileSync(join(open.path, 'to.json'), JSON.stringify(folder.destinationBody({ keep: 5 })));
    const changed = JSON.parse((await here('save', '--file', 'to.json', '--json')).stdout);
    assert.deepEqual([changed.keep, changed.version], [5, 2]);
    const wrong = await here('save', '--file', 'feed.json', '--stage', 'other');
    assert.equal(wrong.code, 0, wrong.stderr);
  });

  it('shows the key of an SFTP server before anybody logs in, by a test without a secret', async function () {
    skipWithoutSshd(this);
    const server = await startTestSshd();
    try {
      const { port, user } = server;
      const connection = { kind: 'sftp', host: '127.0.0.1', port, user, path: server.newFolder() };
      writeFileSync(join(open.path, 'sftp.json'), JSON.stringify(folder.body({ connection, secret: null })));
      const test = await here('test', '--file', 'sftp.json');
      assert.equal(test.code, 1, test.stderr);
      const [shown, why] = test.stdout.split('\n');
      assert.equal(shown, `The server has shown this key: ${server.hostKeys.ed25519}`);
      assert.match(why ?? '', /^REFUSED_LOGIN: the connection has no password and no private key/);
    } finally {
      await server.stop();
    }
  });

  it('fails truthfully: a folder that is gone, a feed that is not there, a body that is none', async () => {
    const connection = { kind: 'folder', path: join(folder.path, 'gone') };
    await folder.make({ name: 'Gone', connection });
    const test = await here('test', 'Gone');
    assert.equal(test.code, 1);
    assert.match(test.stdout, /^NOT_FOUND: /);
    const failed = await here('run', 'Gone');
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^FAILED: /);
    assert.match((await here('list')).stderr, /Gone: NOT_FOUND: /);
    const unknown = await here('run', 'Nowhere');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no feed "Nowhere" in this stage: it has .*"Gone"/);
    writeFileSync(join(open.path, 'broken.json'), '{');
    assert.match((await here('test', '--file', 'broken.json')).stderr, /broken\.json is no JSON/);
    assert.match((await here('test')).stderr, /Name a feed, or give --file/);
  });
});
