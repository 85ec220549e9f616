/** Destinations whose server hangs, cuts or loses answers: the same file comes under the same name, whole, and nothing is left out. */
import assert from 'node:assert/strict';
import { tendAllFeeds } from '../../../src/workers/maintenance/tend-feeds.js';
import {
  type HostileSftp,
  type Hostility,
  type SftpCall,
  startHostileSftp,
} from '../../support/faults/hostile-sftp.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const YEARLY = { cron: '0 0 1 1 *', timeZone: 'UTC' };

describe('a destination whose server fails', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let feeds: ShopFolder;
  let server: HostileSftp;
  let hostility: { silentAt?: SftpCall; before?: NonNullable<Hostility['before']> };
  before(async () => {
    world = await startWorld({
      files: 'in a folder',
      environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', UPLOAD_IDLE_SECONDS: '1' },
    });
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    hostility = {};
    server = await startHostileSftp(hostility);
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
    await put('a');
    feeds = new ShopFolder(shop, '');
  });
  afterEach(async () => {
    await world.db('feed').delete();
    await server.close();
  });

  const put = (sku: string) => shop.bulk('upsert', [{ sku, nodeName: 'Shelf', attributes: { Title: sku } }]);
  const make = (over: object = {}) =>
    feeds.makeDestination({
      ...{ content: 'DELTA', schedule: YEARLY, secret: 'x' },
      connection: { kind: 'sftp', host: '127.0.0.1', port: server.port, user: server.user, path: '/in' },
      ...over,
    });
  const retried = async (id: string) => {
    await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
    await tendAllFeeds(world.services);
    const { lastJobId } = await feeds.get(id);
    await untilEnded(shop, lastJobId);
    return shop.ask('GET', `/jobs/${lastJobId}`);
  };
  const skusIn = (name: string) =>
    [...(server.files.get(name)?.bytes.toString() ?? '').matchAll(/^PRIMARY->Shelf,(\w+),/gm)].map(([, sku]) => sku);

  const cut: NonNullable<Hostility['before']> = (call, _, connection) => {
    if (call === 'WRITE') connection.end();
  };
  /** It renames, and says nothing more. */
  const unanswered: NonNullable<Hostility['before']> = (call, { files }) => {
    const [from] = [...files.keys()].filter((name) => name.endsWith('.part'));
    if (call !== 'RENAME' || from === undefined) return;
    const to = from.slice(1).replace(/\.[0-9a-f]{12}\.part$/, '');
    const file = files.get(from);
    files.delete(from);
    if (file !== undefined) files.set(to, file);
  };
  const FAULTS: readonly (readonly [name: string, fault: typeof hostility, code: RegExp])[] = [
    ['is silent when the file is opened', { silentAt: 'OPEN' }, /TIMED_OUT/],
    ['is silent when it is written', { silentAt: 'WRITE' }, /TIMED_OUT/],
    ['cuts the connection while it is written', { before: cut }, /BROKEN_OFF|UNREACHABLE/],
    ['is silent when it is to be renamed', { silentAt: 'RENAME' }, /TIMED_OUT/],
    ['is silent after it was renamed', { silentAt: 'RENAME', before: unanswered }, /TIMED_OUT/],
  ];
  for (const [name, fault, code] of FAULTS) {
    it(`gets the file again, though it ${name}`, async () => {
      const { id } = await make();
      await feeds.run(id);
      await put('b');
      Object.assign(hostility, fault);
      const failed = await feeds.run(id);
      assert.equal(failed.status, 'FAILED', failed.statusMessage);
      assert.match(failed.reason, code);
      for (const [there] of server.files) {
        if (!there.endsWith('.part')) assert.ok(skusIn(there).length > 0, `${there} is whole`);
      }
      delete hostility.silentAt;
      delete hostility.before;
      await put('c');
      const well = await retried(id);
      assert.equal(well.status, 'COMPLETED', well.statusMessage);
      await feeds.run(id);
      const names = ['items-000001.csv', 'items-000002.csv', 'items-000003.csv'];
      assert.deepEqual([...server.files.keys()].sort(), names, 'no file under two names, and no piece of one');
      assert.deepEqual(names.map(skusIn), [['a'], ['b'], ['c']]);
      const causes = (await feeds.runs(id)).map(({ cause }) => cause);
      assert.deepEqual(causes, ['REQUEST', 'RETRY', 'REQUEST', 'REQUEST']);
    });
  }

  it('gets changes that waited first, and those since then in a file of their own, by one run', async () => {
    const { id } = await make();
    await feeds.run(id);
    await put('b');
    hostility.silentAt = 'WRITE';
    await feeds.run(id);
    delete hostility.silentAt;
    await put('c');
    const job = await feeds.run(id);
    assert.equal(job.status, 'COMPLETED', job.statusMessage);
    const [run] = await feeds.runs(id);
    assert.deepEqual(
      run.delivery.files.map((file: { name: string; rows: number }) => [file.name, file.rows]),
      [
        ['items-000002.csv', 1],
        ['items-000003.csv', 1],
      ],
    );
    assert.deepEqual([skusIn('items-000002.csv'), skusIn('items-000003.csv')], [['b'], ['c']]);
    assert.deepEqual(run.delivery.files[1].from, run.delivery.files[0].to);
  });

  it('gets a whole file as it is now, unless a retry follows soon', async () => {
    const { id } = await make({ content: 'WHOLE', fileName: 'items.csv' });
    hostility.silentAt = 'WRITE';
    await feeds.run(id);
    await put('b');
    await retried(id);
    delete hostility.silentAt;
    await retried(id);
    assert.deepEqual(skusIn('items.csv'), ['a'], 'a retry sends what was exported');
    hostility.silentAt = 'WRITE';
    await feeds.run(id);
    await put('c');
    // A time of the schedule has come since.
    await world.db('feed_output').where({ state: 'WAITING' }).update({ read_at: '2020-01-01' });
    delete hostility.silentAt;
    await retried(id);
    assert.deepEqual(skusIn('items.csv'), ['a', 'b', 'c']);
    assert.equal((await world.db('feed_output').whereNotNull('storage_key')).length, 0);
  });

  it('is left alone when the feed gets another connection: the other one begins with the whole', async () => {
    const { id } = await make({ keep: 1 });
    await feeds.run(id);
    await put('b');
    hostility.silentAt = 'WRITE';
    await feeds.run(id);
    const other = await startHostileSftp();
    try {
      const connection = { kind: 'sftp', host: '127.0.0.1', port: other.port, user: other.user, path: '/in' };
      await shop.ask('PATCH', `/feeds/${id}`, { body: { connection, secret: 'x' } });
      const job = await feeds.run(id);
      assert.equal(job.status, 'COMPLETED', job.statusMessage);
      const [run] = await feeds.runs(id);
      assert.deepEqual([run.delivery.files[0].content, run.delivery.files[0].rows], ['WHOLE', 2]);
      assert.equal(other.files.size, 1);
      assert.ok(server.files.has('items-000001.csv'));
      const waiting = (await feeds.get(id)).failures;
      assert.equal(waiting, 0);
    } finally {
      await other.close();
    }
  });

  it('keeps as many files as it was told to, of which a file that was never sent is none', async () => {
    const { id } = await make({ keep: 2, content: 'WHOLE' });
    await feeds.run(id);
    hostility.silentAt = 'WRITE';
    assert.equal((await feeds.run(id)).status, 'FAILED');
    delete hostility.silentAt;
    await feeds.run(id);
    const names = () => [...server.files.keys()].sort();
    assert.deepEqual(names(), ['items-000001.csv', 'items-000003.csv']);
    await feeds.run(id);
    assert.deepEqual(names(), ['items-000003.csv', 'items-000004.csv']);
  });

  it('loses an older file also when the one that was to take its place was never sent', async () => {
    const { id } = await make({ keep: 1, content: 'WHOLE', fileName: 'day-1.csv' });
    await feeds.run(id);
    await put('b');
    hostility.silentAt = 'WRITE';
    assert.equal((await feeds.run(id)).status, 'FAILED');
    delete hostility.silentAt;
    await shop.ask('PATCH', `/feeds/${id}`, { body: { fileName: 'day-2.csv' } });
    await feeds.run(id);
    assert.deepEqual([...server.files.keys()], ['day-2.csv']);
  });

  it('says that older files could not be removed, and keeps what was sent', async () => {
    const { id } = await make({ keep: 1, content: 'WHOLE' });
    await feeds.run(id);
    hostility.silentAt = 'REMOVE';
    const job = await feeds.run(id);
    assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'TIMED_OUT'], job.statusMessage);
    assert.match(job.statusMessage, /older files could not be removed/);
    assert.equal((await feeds.get(id)).failures, 0, 'the file is there');
    delete hostility.silentAt;
    await feeds.run(id);
    assert.deepEqual([...server.files.keys()], ['items-000003.csv']);
  });
});
