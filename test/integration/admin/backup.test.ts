/** A drill: a backup while the system works, restored elsewhere, where the work goes on. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectDb, type Db } from '../../../db/connection.js';
import { presentCursor, readFeed } from '../../../src/domain/changes/feed.js';
import { resolveSince } from '../../../src/domain/changes/resolve-since.js';
import { openSession } from '../../support/http/browser-session.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { queryOnce } from '../../support/worlds/query-once.js';
import { runProgram } from '../../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';
import { startWorld, type Workers, type World } from '../../support/worlds/world.js';

const ROWS = 2_000;
const KEY = 'a-key-for-tests-only-of-enough-characters';

interface Manifest {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly files: { readonly count: number };
  readonly missing: readonly string[];
}

describe('backup and restore', function () {
  this.timeout(120_000);

  let world: World;
  let workers: Workers;
  let shop: Shop;
  let folder: string;
  let target: TestDatabase;
  let jobId: string;
  let manifest: Manifest;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-backup-'));
    world = await startWorld({ chunkRows: 20, files: 'in a folder', environment: { RECONCILE_MS: '250' } });
    target = await createTestDatabase();
    workers = await world.startWorkers();
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Boats: ['Title'] } });
  });
  after(async () => {
    await world.stop();
    await target.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const backup = () => join(folder, 'backup');
  const sourceEnvironment = () => ({
    DATABASE_URL: world.services.config.databaseUrl,
    STORAGE_URL: pathToFileURL(world.services.config.storage.directory).href,
    SECRETS_KEY: KEY,
  });
  const targetEnvironment = () => ({ DATABASE_URL: target.url, DATA_DIR: join(folder, 'restored'), SECRETS_KEY: KEY });
  const admin = (args: readonly string[], environment: Record<string, string>) =>
    runProgram('app/admin/main.js', [...args, '--json'], environment).end;
  const numberFrom = async (url: string, statement: string) =>
    Number((await queryOnce<{ count: string }>(url, statement))[0]?.count);
  const itemsOf = (url: string) => numberFrom(url, 'SELECT count(*) FROM item');
  const appliedBy = (url: string) =>
    numberFrom(url, `SELECT processed_count AS count FROM job WHERE id = '${jobId}' AND completed_at IS NOT NULL`);

  async function onTarget<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const db = connectDb({ url: target.url, poolMax: 2, name: 'longshore-test' });
    return work(db).finally(() => db.destroy());
  }

  /** A cursor of before the restore is refused, in the same database too, and a new one is followed by what is changed. */
  async function assertFeedGoesOn(old: string): Promise<void> {
    await onTarget(async (db) => {
      const { siteId } = shop;
      const gone = { kind: 'gone', code: 'CURSOR_GONE', message: /restored.*begin again with GET \/changes\/cursor/ };
      await assert.rejects(readFeed(db, siteId, old, {}, 10), gone);
      await assert.rejects(resolveSince(db, siteId, { cursor: old }), gone);
      const cursor = await presentCursor(db, siteId);
      await db('attribute').where({ site_id: siteId, name: 'Title' }).update({ position: 900 });
      const changed = await db('change_set').where({ site_id: siteId }).whereNull('position');
      assert.equal(changed.length, 1, 'definitions of a backup are not logged, those that are changed later are');
      const { entries, cursor: next, more } = await readFeed(db, siteId, cursor, {}, 10);
      assert.deepEqual(
        entries.map(({ kind, operation, definition }) => [kind, operation, definition?.after?.position]),
        [['attribute', 'UPDATED', 900]],
      );
      assert.deepEqual([more, (await readFeed(db, siteId, next, {}, 10)).entries], [false, []]);
    });
  }

  /** A backup contains sessions and codes that have ended since. */
  async function assertLoggedOut(): Promise<void> {
    assert.equal(await numberFrom(target.url, 'SELECT count(*) FROM session'), 1);
    assert.equal(await numberFrom(target.url, 'SELECT count(*) FROM session WHERE ended_at IS NULL'), 0);
    assert.equal(await numberFrom(target.url, 'SELECT count(*) FROM login_code WHERE expires_at > now()'), 0);
  }

  async function assertCounts(): Promise<void> {
    for (const { name, rows } of manifest.tables) {
      if (name === 'audit_entry') continue;
      assert.equal(await numberFrom(target.url, `SELECT count(*) FROM "${name}"`), rows, name);
    }
  }

  /** It may be a copy beside the system that takes the files. */
  async function assertFeedsArePaused(): Promise<void> {
    const feeds = await onTarget((db) => db('feed').select('state', 'next_run_at', 'pause_reason'));
    assert.deepEqual(
      feeds.map(({ state, next_run_at: next }) => [state, next]),
      [['PAUSED', null]],
    );
    assert.match(feeds[0].pause_reason, /^restored from a backup: .*copy beside.*ACTIVE/);
    assert.equal((await shop.ask('GET', '/feeds')).data[0].state, 'ACTIVE', 'the live system goes on');
  }

  it('copies the database and its files as of one moment, while an import is running', async () => {
    const lines = [
      { sku: 'a', nodeName: 'Boats', attributes: { Title: 'A dinghy' } },
      { sku: 'b', nodeName: 'Nowhere' },
    ];
    const done = await shop.importFile('done.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
    assert.deepEqual([done.created, done.failed], [1, 1]);
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      sku: `s${n}`,
      nodeName: 'Boats',
      attributes: { Title: `T${n}` },
    }));
    jobId = await shop.upload('many.json', JSON.stringify(rows));
    const chunks = () => numberFrom(world.services.config.databaseUrl, "SELECT count(*) FROM item WHERE sku LIKE 's%'");
    await until('the import has begun', async () => (await chunks()) > 0, 30_000);
    await openSession(world.api, { token: shop.token });
    await shop.ask('POST', '/api/v2/access/people', { body: { name: 'Invited', role: 'viewer' } });
    const connection = { kind: 'https', url: 'https://erp.example/items.csv' };
    const feed = { name: 'ERP', connection, fileType: 'ITEM_IMPORT', schedule: { everySeconds: 3_600 } };
    await shop.ask('POST', '/feeds', { body: feed });
    const { code, stdout, stderr } = await admin(['backup', backup()], sourceEnvironment());
    assert.equal(code, 0, stderr);
    manifest = JSON.parse(await readFile(join(backup(), 'manifest.json'), 'utf8'));
    const answer = JSON.parse(stdout);
    assert.deepEqual([answer.files, answer.missingFiles], [manifest.files.count, undefined]);
    assert.ok(manifest.files.count >= 3, 'two uploads and an error file');
    assert.equal((await shop.outcome(jobId)).created, ROWS);
    await workers.stop();
  });

  it('refuses a folder that is used, and a database that has rows', async () => {
    const used = await admin(['backup', backup()], sourceEnvironment());
    assert.equal(used.code, 1);
    assert.match(used.stderr, /is not empty: give each backup its own folder/);
    const over = await admin(['restore', backup()], sourceEnvironment());
    assert.equal(over.code, 1);
    assert.match(over.stderr, /the database is not empty: table \w+ has rows.*--replace/);
    assert.equal(await itemsOf(world.services.config.databaseUrl), ROWS + 1);
  });

  it('refuses a backup that is damaged or incomplete, before it changes anything', async () => {
    const tables = join(backup(), 'tables');
    const path = join(tables, (await readdir(tables)).find((name) => name.startsWith('item.')) ?? '');
    const bytes = await readFile(path);
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(40) ^ 1, 40);
    await writeFile(path, altered);
    const damaged = await admin(['restore', backup()], targetEnvironment());
    assert.match(damaged.stderr, /the backup is damaged: .*item\.copy\.gz has other bytes/);
    await rm(path);
    assert.match(
      (await admin(['restore', backup()], targetEnvironment())).stderr,
      /incomplete: .*item\.copy\.gz is missing/,
    );
    await writeFile(path, bytes);
    assert.match(
      (await admin(['restore', folder], targetEnvironment())).stderr,
      /no complete backup: there is no manifest/,
    );
    assert.equal(await itemsOf(target.url), 0);
  });

  it('restores every row and file, and workers finish what had begun', async () => {
    const { code, stdout, stderr } = await admin(['restore', backup()], targetEnvironment());
    assert.equal(code, 0, stderr);
    assert.match(JSON.parse(stdout).note, /^1 feed was paused, because this may be a copy/);
    await assertFeedsArePaused();
    await assertCounts();
    await assertLoggedOut();
    const same =
      "SELECT md5(string_agg(i::text, '' ORDER BY sku)) AS count FROM item AS i WHERE sku IN ('a', 's0', 's1')";
    const digest = async (url: string) => (await queryOnce<{ count: string }>(url, same))[0]?.count;
    assert.equal(await digest(target.url), await digest(world.services.config.databaseUrl));
    const worker = runProgram('app/workers/main.js', [], { ...targetEnvironment(), RECONCILE_GRACE_MS: '500' });
    try {
      await worker.said(/"msg":"ready"/);
      const running = await admin(['restore', backup(), '--replace'], targetEnvironment());
      assert.match(running.stderr, /a process of Longshore uses this database \(.*stop all of them first/);
      await until('the import has ended', async () => (await appliedBy(target.url)) === ROWS, 60_000);
      assert.equal(await itemsOf(target.url), ROWS + 1);
    } finally {
      await worker.stop('SIGTERM');
    }
  });

  it('replaces what is there when it is asked to', async () => {
    await queryOnce(target.url, "UPDATE account SET name = 'another'");
    const old = await onTarget((db) => presentCursor(db, shop.siteId));
    const { code, stdout, stderr } = await admin(['restore', backup(), '--replace'], {
      ...targetEnvironment(),
      SECRETS_KEY: 'another-key-of-enough-characters-for-it',
    });
    assert.equal(code, 0, stderr);
    assert.match(JSON.parse(stdout).note, /SECRETS_KEY is not that of the backup/);
    await assertCounts();
    await assertFeedGoesOn(old);
    assert.equal(await numberFrom(target.url, "SELECT count(*) FROM account WHERE name = 'another'"), 0);
  });

  it('shows jobs, queues and workers of the whole system', async () => {
    const shown = async (...args: string[]) => JSON.parse((await admin(args, sourceEnvironment())).stdout);
    const jobs: Record<string, unknown>[] = await shown('jobs', '--status', 'completed');
    assert.ok(jobs.some(({ id, rows, applied }) => id === jobId && rows === ROWS && applied === ROWS));
    assert.deepEqual(await shown('jobs'), []);
    const queues: Record<string, unknown>[] = await shown('queues');
    assert.ok(
      queues.some(({ queue, waiting }) => queue === 'plan-job' && waiting === 0),
      JSON.stringify(queues),
    );
    assert.deepEqual(await shown('workers'), []);
    const wrong = await admin(['jobs', '--limit', 'all'], sourceEnvironment());
    assert.match(wrong.stderr, /--limit must be a whole number/);
  });
});
