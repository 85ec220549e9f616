/** What has had its time is cleared away, and nothing else. */
import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import type { Shop } from '../../support/http/shop.js';
import { storedIn } from '../../support/worlds/stored-in.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const CSV = 'SKU,Category Node,Title\na,Disk,A\n,Disk,no key\n';
const HOUR_MS = 3_600_000;
/** Rows that one statement deletes. */
const BATCH = 1_000;

describe('housekeeping', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    // What clients upload to S3 itself expires after a last look for it, which another suite tells of.
    world = await startWorld({ files: 'through the API' });
    await world.startWorkers({}, BULK_ONLY);
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(() => world.stop());

  it('forgets the suspicion of steps whose jobs have ended, unless the job may be retried', async () => {
    const { db } = world;
    const [ended, failed, open] = await Promise.all([announce(), announce(), announce()]);
    const end = (status: string) => ({ status, completed_at: new Date(), step: null });
    await db('job').where({ id: ended.jobId }).update(end('COMPLETED'));
    await db('job').where({ id: failed.jobId }).update(end('FAILED'));
    const jobs = [ended, failed, open].map(({ jobId }) => ({ job_id: jobId, step: 'apply', chunk: 1 }));
    await db('suspect_step').insert(jobs);
    await housekeep(world.services);
    const left: { job_id: string }[] = await db('suspect_step').select('job_id');
    assert.deepEqual(left.map((row) => row.job_id).sort(), [failed.jobId, open.jobId].sort());
  });

  it('expires files that were not uploaded in time, and tells who waits for their jobs', async () => {
    const late = await announce();
    const waiting = await announce();
    const waits = shop.ask('GET', `/jobs/${late.jobId}`, { headers: { prefer: 'wait=25' } });
    await world
      .db('file')
      .where({ id: late.id })
      .update({ expires_at: new Date(Date.now() - 1) });
    await housekeep(world.services);
    const { status, statusMessage } = await waits;
    assert.equal(status, 'EXPIRED');
    assert.match(statusMessage, /not uploaded in time; announce it again/);
    assert.equal((await shop.ask('GET', `/jobs/${waiting.jobId}`)).status, 'AWAITING_UPLOAD');
    assert.equal((await shop.put(late, CSV)).status, 410);
    assert.equal((await shop.put(waiting, CSV)).status, 200);
  });

  it('removes jobs past their retention that changed nothing, with their errors and files, and keeps the items', async () => {
    await imported('first.csv.gz');
    const [old, young] = [await imported('old.csv.gz'), await imported('young.csv.gz')];
    const before = await filesOfStore();
    await world
      .db('job')
      .where({ id: old })
      .update({ completed_at: new Date(Date.now() - 31 * 24 * HOUR_MS) });
    await housekeep(world.services);
    assert.equal((await shop.call('GET', `/jobs/${old}`)).status, 404);
    assert.equal((await world.db('job_error').where({ job_id: old })).length, 0);
    assert.equal((await world.db('file').where({ job_id: old })).length, 0);
    assert.equal((await filesOfStore()).length, before.length - 3, 'its upload, its copy and its error file');
    assert.equal((await shop.outcome(young)).failed, 1);
    assert.notEqual(await shop.item('a'), undefined);
  });

  it('deletes the bytes of a rejected file after a day, with the copy of it, and no others', async () => {
    const before = await filesOfStore();
    const rejected = await shop.outcome(await shop.upload('rejected.csv.gz', gzipSync('Nonsense\n1\n')));
    assert.equal(rejected.status, 'REJECTED');
    const good = await imported('good.csv.gz');
    const fileOf = (job: string) => world.db('file').where({ job_id: job }).whereNot({ type: 'ERROR_FILE' }).first();
    await housekeep(world.services);
    const { id, expires_at: expiry, status } = await fileOf(rejected.id);
    assert.equal(status, 'UPLOADED');
    const hours = (expiry.getTime() - Date.now()) / HOUR_MS;
    assert.ok(hours > 23 && hours <= 24, `${hours} hours`);
    assert.equal((await fileOf(good)).expires_at, null);
    const kept = await filesOfStore();
    await world
      .db('file')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - 1) });
    await housekeep(world.services);
    const { status: deleted, storage_key: key } = await fileOf(rejected.id);
    assert.deepEqual([deleted, key], ['DELETED', null]);
    const left = await filesOfStore();
    assert.ok(left.length < kept.length);
    assert.equal(left.length, before.length + 3, 'only those of the good file');
    assert.equal((await shop.call('GET', `/files/product/${id}/actions/download`)).status, 410);
    assert.equal((await shop.ask('GET', `/jobs/${rejected.id}`)).status, 'REJECTED', 'the job says why for longer');
    await housekeep(world.services);
  });

  it('forgets keys and tokens that have had their time', async () => {
    const { db } = world;
    const key = { account_id: shop.account, fingerprint: Buffer.alloc(32), status: 202, body: '{}' };
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
    await db('idempotency_key').insert([
      { ...key, key: 'old', created_at: daysAgo(3) },
      { ...key, key: 'young', created_at: daysAgo(1) },
    ]);
    const token = { account_id: shop.account, name: 'x', scopes: [] };
    await db('access_token').insert([
      { ...token, id: 'old', digest: Buffer.from('old'), expires_at: daysAgo(2) },
      { ...token, id: 'young', digest: Buffer.from('young'), expires_at: daysAgo(0.1) },
    ]);
    await housekeep(world.services);
    assert.deepEqual(await db('idempotency_key').pluck('key'), ['young']);
    assert.deepEqual(await db('access_token').whereIn('id', ['old', 'young']).pluck('id'), ['young']);
  });

  it('deletes keys, tokens and definitions in batches, all of them in one pass', async () => {
    const { db } = world;
    const rows = `generate_series(1, ${2 * BATCH + 1}) AS n`;
    const { account, siteId } = shop;
    await db.raw(
      `INSERT INTO idempotency_key (account_id, key, fingerprint, status, body, created_at)
       SELECT ?, 'many ' || n, 'x', 202, '{}', now() - interval '3 days' FROM ${rows}`,
      [account],
    );
    await db.raw(
      `INSERT INTO access_token (id, account_id, name, scopes, digest, expires_at)
       SELECT 'many ' || n, ?, 'x', '{}', ('many ' || n)::bytea, now() - interval '2 days' FROM ${rows}`,
      [account],
    );
    await db('site')
      .where({ id: siteId })
      .update({ definitions_version: 2 * BATCH + 10 });
    await db.raw(
      `INSERT INTO definition_snapshot (site_id, version, content, created_at)
       SELECT ?, n, '{}', now() - interval '2 hours' FROM ${rows} ON CONFLICT DO NOTHING`,
      [siteId],
    );
    const deleted: Record<string, number[]> = {};
    const note = (response: { rowCount: number }, { sql }: { sql: string }) => {
      const table = /^DELETE FROM (idempotency_key|access_token|definition_snapshot) /.exec(sql)?.[1];
      if (table !== undefined) deleted[table] = [...(deleted[table] ?? []), response.rowCount];
    };
    db.on('query-response', note);
    try {
      await housekeep(world.services);
    } finally {
      db.off('query-response', note);
    }
    for (const table of ['idempotency_key', 'access_token', 'definition_snapshot']) {
      const counts = deleted[table] ?? [];
      assert.equal(counts.length, 3, `${table}: ${counts}`);
      assert.deepEqual(counts.slice(0, 2), [BATCH, BATCH]);
    }
    assert.equal((await db('idempotency_key').whereLike('key', 'many %')).length, 0);
    assert.equal((await db('access_token').whereLike('id', 'many %')).length, 0);
    assert.equal((await db('definition_snapshot').where({ site_id: siteId, content: '{}' })).length, 0);
  });

  it('keeps the definitions that a job goes by, and those that stand', async () => {
    const { db } = world;
    await imported('x.csv');
    await shop.define({ attributes: ['Another'] });
    await imported('y.csv');
    await db('definition_snapshot').update({ created_at: new Date(Date.now() - 2 * HOUR_MS) });
    const versions = () =>
      db('definition_snapshot').where({ site_id: shop.siteId }).orderBy('version').pluck('version');
    const before = await versions();
    const running = await world.acceptRows(shop, 'upsert', [{ sku: 'r', nodeName: 'Disk' }]);
    const [goneBy] = before;
    await db('job').where({ id: running.jobId }).update({ started_at: new Date(), definitions_version: goneBy });
    await housekeep(world.services);
    assert.deepEqual(await versions(), [goneBy, before.at(-1)]);
    await enqueueEntries(world.services.producer, running.outboxEntries, world.services.logger);
    assert.equal((await shop.outcome(running.jobId)).status, 'COMPLETED');
    await housekeep(world.services);
    assert.deepEqual(await versions(), [before.at(-1)]);
  });

  it('removes what processes that died left half written', async function () {
    // What that is in S3 is told by the suite of the file stores.
    if (world.services.config.storage.s3 !== undefined) this.skip();
    const uploads = join(world.services.config.storage.directory, 'uploads');
    const [abandoned, underWay] = ['.abandoned.part', '.under-way.part'].map((name) => join(uploads, name));
    assert.ok(abandoned !== undefined && underWay !== undefined);
    await writeFile(abandoned, 'x');
    await writeFile(underWay, 'x');
    const longAgo = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(abandoned, longAgo, longAgo);
    const finished = (await readdir(uploads)).filter((name) => !name.endsWith('.part'));
    await world.services.fileStore.removeAbandoned(HOUR_MS);
    assert.deepEqual((await readdir(uploads)).sort(), [...finished, '.under-way.part'].sort());
  });

  const announce = () => shop.ask('POST', '/files/product', { body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT' } });

  /** @returns the id of a job that has ended, with one row that failed */
  async function imported(name: string): Promise<string> {
    const { id } = await shop.importFile(name, name.endsWith('.gz') ? gzipSync(CSV) : CSV);
    return id;
  }

  const filesOfStore = () => storedIn(world.services.config);
});
