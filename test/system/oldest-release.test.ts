/** Processes of a release that is older than the database allows, in real processes: they accept nothing, and say why. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDb, type Db } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { until } from '../support/until.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';

const WITHIN_MS = 10_000;
const LATER = '29990101000000_later.js';
const CURE = `start release 9.0.0 or a newer one in its place, which knows the migration ${LATER}`;
const MESSAGE = /^this process is of release \d+\.\d+\.\d+, which is older than the database allows$/;

describe('a process that is older than the database allows', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let db: Db;
  let folder: string;
  let token: string;
  let siteContext: string;
  const started: RunningProgram[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'longshore-old-'));
    db = connectDb({ url: database.url, poolMax: 2, name: 'longshore-test' });
    const { id } = await createAccount(db, { name: 'test' });
    token = (await createToken(db, { accountId: id, name: 'test' })).token;
    siteContext = JSON.stringify({ account: id, stage: 'production' });
  });
  afterEach(async () => {
    for (const { process: child } of started) child.kill('SIGKILL');
    await Promise.all(started.splice(0).map(({ end }) => end));
    await db.destroy();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  function run(entry: string, args: readonly string[] = []): RunningProgram {
    const program = runProgram(entry, args, {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
      DATA_DIR: folder,
      PORT: '0',
    });
    started.push(program);
    return program;
  }

  async function startWeb(): Promise<string> {
    const [, url = ''] = await run('app/api/main.js').said(/"url":"([^"]+)","msg":"listening"/);
    return url;
  }

  /** As a migration of a newer release does that breaks the older ones. */
  const forbid = () => db('oldest_release').update({ migration: LATER, version: '9.0.0' });

  const send = (url: string) =>
    fetch(`${url}/api-product/v1/product/attribute/bulk`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-site-context': siteContext,
      },
      body: JSON.stringify([{ action: 'CREATE', name: 'Colour', type: 'TEXT' }]),
    });

  const jobs = async () => Number((await db('job').count())[0]?.count);

  it('stops accepting within some seconds when a newer release has migrated, says so, and is alive', async () => {
    const url = await startWeb();
    assert.equal((await send(url)).status, 202);
    await forbid();
    await until('it refuses work', async () => (await send(url)).status === 503, WITHIN_MS);
    const accepted = await jobs();
    const refused = await send(url);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    const text = JSON.stringify(await refused.json());
    assert.match(text, /RELEASE_TOO_OLD/);
    assert.ok(text.includes('this process is of release') && text.includes(CURE), text);
    for (const path of ['/openapi.json', '/admin', '/files/product/none']) {
      assert.equal((await fetch(url + path)).status, 503, path);
    }
    assert.equal(await jobs(), accepted);
    const ready = await fetch(`${url}/readyz`);
    const { schema } = (
      (await ready.json()) as { parts: Record<string, { status: string; message: string; cure: string }> }
    ).parts;
    assert.equal(ready.status, 503);
    assert.match(schema?.message ?? '', MESSAGE);
    assert.deepEqual([schema?.status, schema?.cure], ['down', CURE]);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
  });

  it('refuses the first request, when it starts later', async () => {
    await forbid();
    const url = await startWeb();
    assert.equal((await send(url)).status, 503);
    assert.equal(await jobs(), 0);
  });

  it('takes no more work as a worker, ends with 1, and says why', async () => {
    const worker = run('app/workers/main.js');
    await worker.said(/"msg":"ready"/);
    await forbid();
    const { code, stderr } = await worker.end;
    assert.equal(code, 1);
    assert.ok(
      stderr.includes('older than the database allows: it takes no more work') && stderr.includes(CURE),
      stderr,
    );
    assert.equal(Number((await db('process_heartbeat').count())[0]?.count), 0);
  });

  it('does not start as a worker', async () => {
    await forbid();
    const { code, stderr } = await run('app/workers/main.js').end;
    assert.equal(code, 1);
    assert.match(stderr, /^worker: this process is of release \S+, which is older than the database allows: /m);
    assert.ok(stderr.includes(CURE), stderr);
    assert.doesNotMatch(stderr, /"msg":"ready"/);
  });

  it('is a mistake that the doctor finds, and other releases that run and are too old, too', async () => {
    await db('process_heartbeat').insert({ id: 'a', groups: ['bulk'], host: 'host', pid: 1, version: '0.0.9' });
    const other = await run('app/admin/main.js', ['doctor']).end;
    assert.match(other.stdout, /1 process is of a release older than the database allows \(0\.0\.9 on host\)/);
    await forbid();
    const { code, stdout } = await run('app/admin/main.js', ['doctor']).end;
    assert.equal(code, 1);
    assert.ok(stdout.includes('which is older than the database allows'), stdout);
  });
});
