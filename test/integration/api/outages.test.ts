import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { connectDb } from '../../../db/connection.js';
import { createApp } from '../../../src/api/app.js';
import { createReadiness, type Readiness } from '../../../src/api/readiness.js';
import { routes } from '../../../src/api/routes/index.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import type { ApiServices } from '../../../src/api/services.js';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { NOBODY_LISTENS } from '../../support/worlds/reserved-port.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';
import { skipWithoutRedis, startTestRedis, type TestRedis } from '../../support/worlds/test-redis.js';

interface Report {
  readonly status: string;
  readonly parts: Readonly<
    Record<string, { readonly status: string; readonly message?: string; readonly cure?: string }>
  >;
}

describe('an outage', () => {
  let api: TestApi;
  const servers: RunningServer[] = [];
  const checks: Readiness[] = [];
  before(async () => {
    api = await startTestApi();
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop(0)));
    await Promise.all(checks.map((readiness) => readiness.close()));
    await api.stop();
  });

  /** The same API with some service replaced. */
  async function withServices(change: Partial<ApiServices>): Promise<string> {
    const tokens = createAuthenticator(change.db ?? api.db);
    const changed = { ...api.services, tokens, ...change };
    const readiness = createReadiness(changed);
    checks.push(readiness);
    const app = createApp({ ...changed, readiness }, [...routes, ...toyRoutes]);
    const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
    servers.push(server);
    return server.url;
  }

  async function readinessOf(url: string) {
    const response = await fetch(`${url}/readyz`);
    return { code: response.status, ...((await response.json()) as Report) };
  }

  it('of the database is answered 503 with Retry-After, and /readyz says so while /healthz lives', async () => {
    const databaseUrl = `postgres://x@127.0.0.1:${NOBODY_LISTENS}/x`;
    const db = connectDb({ url: databaseUrl, poolMax: 2, name: 'nowhere' });
    const url = await withServices({ db, config: { ...api.services.config, databaseUrl } });
    const response = await fetch(`${url}/api-product/toy/a`, { headers: api.headers() });
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    assert.equal(((await response.json()) as { code: string }).code, 'UNAVAILABLE');
    const { code, status, parts } = await readinessOf(url);
    assert.deepEqual([code, status], [503, 'down']);
    assert.equal(parts.database?.status, 'down');
    assert.match(parts.database?.cure ?? '', /start Postgres/);
    assert.match(parts.workers?.message ?? '', /not known/);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    await db.destroy();
  });

  it('of a database that takes connections and says nothing is answered 503 when its time is over', async () => {
    const mute = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const db = connectDb({ url: `postgres://x@127.0.0.1:${port}/x`, poolMax: 2, name: 'mute', acquireMs: 300 });
    const url = await withServices({ db });
    const begun = Date.now();
    const response = await fetch(`${url}/api-product/toy/a`, { headers: api.headers() });
    assert.equal(response.status, 503);
    assert.ok(Date.now() - begun < 2_000);
    await db.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('of the file store is degraded, and says nothing of the error itself', async () => {
    const refused = Object.assign(new Error('no disk'), { code: 'EROFS' });
    const fileStore = { ...api.services.fileStore, ping: () => Promise.reject(refused) };
    const { code, status, parts } = await readinessOf(await withServices({ fileStore }));
    assert.deepEqual([code, status], [200, 'degraded']);
    assert.match(parts.storage?.message ?? '', /uploads fail/);
    assert.match(parts.storage?.cure ?? '', /let the user of this process write/);
    assert.ok(!JSON.stringify(parts).includes('no disk'));
  });

  it('of the queue leaves the API usable: degraded, and 200', async () => {
    const producer = { ...api.services.producer, ping: () => Promise.reject(new Error('gone')) };
    const { code, parts } = await readinessOf(await withServices({ producer }));
    assert.equal(code, 200);
    assert.equal(parts.queue?.status, 'degraded');
    assert.match(parts.queue?.message ?? '', /work waits/);
    assert.equal(parts.storage?.status, 'ok');
  });

  it('that hangs is reported after two seconds, and is not asked again while it hangs', async () => {
    let asked = 0;
    const ping = () => {
      asked++;
      return new Promise<void>(() => undefined);
    };
    const url = await withServices({ fileStore: { ...api.services.fileStore, ping } });
    const begun = Date.now();
    assert.equal((await readinessOf(url)).parts.storage?.status, 'degraded');
    assert.ok(Date.now() - begun < 4_000);
    const again = Date.now();
    assert.equal((await readinessOf(url)).parts.storage?.status, 'degraded');
    assert.ok(Date.now() - again < 500, 'a probe reads the last result');
    assert.equal(asked, 1);
  });

  it('is not what a busy pool is', async () => {
    const db = connectDb({ url: api.services.config.databaseUrl, poolMax: 2, name: 'busy' });
    const config = { ...api.services.config, databasePoolMax: 2 };
    const url = await withServices({ db, config });
    const held = await Promise.all([db.transaction(), db.transaction()]);
    const { code, parts } = await readinessOf(url);
    assert.equal(code, 200);
    assert.equal(parts.database?.status, 'degraded');
    assert.match(parts.database?.cure ?? '', /DATABASE_POOL_MAX/);
    for (const transaction of held) await transaction.rollback();
    await Promise.all(checks.splice(-1).map((readiness) => readiness.close()));
    await db.destroy();
  });

  it('of writing alone is degraded: a database that is read-only serves what only reads', async () => {
    const db = connectDb({
      url: `${api.services.config.databaseUrl}?options=-c%20default_transaction_read_only%3Don`,
      poolMax: 2,
      name: 'replica',
    });
    const { code, parts } = await readinessOf(await withServices({ db }));
    assert.equal(code, 200);
    assert.match(parts.database?.message ?? '', /refuses to write/);
    assert.match(parts.database?.cure ?? '', /primary/);
    await Promise.all(checks.splice(-1).map((readiness) => readiness.close()));
    await db.destroy();
  });

  it('of the checks themselves is a failure: a result that is too old counts as down', async () => {
    let now = 0;
    const readiness = createReadiness(api.services, () => now);
    assert.notEqual((await readiness.report()).status, 'down');
    await readiness.close();
    now = 60_000;
    const { status, parts, ageMs } = await readiness.report();
    assert.deepEqual([status, ageMs], ['down', 60_000]);
    assert.match(parts.checks?.cure ?? '', /restart this web process/);
  });

  it('is not what a long job has locked: that is answered 503 before long, and the connection is free again', async () => {
    const patient = await startTestApi({ environment: { LOCK_WAIT_MS: '150' } });
    const create = () =>
      patient.fetch('/api-category/v1/category', {
        method: 'POST',
        headers: { ...patient.headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Disk' }),
      });
    assert.equal((await create()).status, 200);
    const job = await patient.db.transaction();
    try {
      await job('site').update({ definitions_version: job.raw('definitions_version + 1') });
      const response = await create();
      assert.equal(response.status, 503);
      assert.ok(Number(response.headers.get('retry-after')) >= 1);
      assert.match(await response.text(), /running job/);
    } finally {
      await job.rollback();
      await patient.stop();
    }
  });

  it('of Redis is told as degraded', async function () {
    skipWithoutRedis(this);
    const redis: TestRedis = await startTestRedis();
    const onRedis = await startTestApi({ redisUrl: redis.url });
    try {
      await redis.kill();
      const { code, parts } = await readinessOf(onRedis.url);
      assert.equal(code, 200);
      assert.match(parts.queue?.cure ?? '', /start Redis/);
    } finally {
      await onRedis.stop();
      await redis.stop();
    }
  });
});
