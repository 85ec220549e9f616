import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { connectDb } from '../../../db/connection.js';
import { createApp } from '../../../src/api/app.js';
import { routes } from '../../../src/api/routes/index.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import type { ApiServices } from '../../../src/api/services.js';
import { freePort } from '../../../src/launcher/free-port.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';
import { skipWithoutRedis, startTestRedis, type TestRedis } from '../../support/worlds/test-redis.js';

describe('an outage', () => {
  let api: TestApi;
  const servers: RunningServer[] = [];
  before(async () => {
    api = await startTestApi();
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop(0)));
    await api.stop();
  });

  /** The same API with some service replaced. */
  async function withServices(change: Partial<ApiServices>): Promise<string> {
    const services = { ...api.services, ...change };
    const app = createApp(services, [...routes, ...toyRoutes]);
    const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
    servers.push(server);
    return server.url;
  }

  it('of the database is answered 503 with Retry-After, and /readyz says so while /healthz lives', async () => {
    const db = connectDb({ url: `postgres://x@127.0.0.1:${await freePort()}/x`, poolMax: 2, name: 'nowhere' });
    const url = await withServices({ db });
    const response = await fetch(`${url}/api-product/toy/a`, { headers: api.headers() });
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    assert.equal(((await response.json()) as { code: string }).code, 'UNAVAILABLE');
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    const body = (await ready.json()) as { status: string; parts: { database: { status: string } } };
    assert.equal(body.status, 'down');
    assert.equal(body.parts.database.status, 'down');
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

  it('of the file store is told by /readyz', async () => {
    const fileStore = { ...api.services.fileStore, ping: () => Promise.reject(new Error('no disk')) };
    const ready = await fetch(`${await withServices({ fileStore })}/readyz`);
    assert.equal(ready.status, 503);
    assert.ok(!(await ready.text()).includes('no disk'));
  });

  it('of the queue leaves the API usable: degraded, and 200', async () => {
    const producer = { ...api.services.producer, ping: () => Promise.reject(new Error('gone')) };
    const ready = await fetch(`${await withServices({ producer })}/readyz`);
    assert.equal(ready.status, 200);
    const body = (await ready.json()) as { status: string; parts: { queue: { status: string; message: string } } };
    assert.equal(body.status, 'degraded');
    assert.deepEqual(body.parts.queue, { status: 'degraded', message: 'the queue does not answer' });
  });

  it('that hangs is given two seconds', async () => {
    const fileStore = { ...api.services.fileStore, ping: () => new Promise<void>(() => undefined) };
    const url = await withServices({ fileStore });
    const begun = Date.now();
    assert.equal((await fetch(`${url}/readyz`)).status, 503);
    assert.ok(Date.now() - begun < 4_000);
  });

  it('is not what a busy pool is', async () => {
    const db = connectDb({ url: api.services.config.databaseUrl, poolMax: 2, name: 'busy' });
    const config = { ...api.services.config, databasePoolMax: 2 };
    const url = await withServices({ db, config });
    const held = await Promise.all([db.transaction(), db.transaction()]);
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.equal(((await ready.json()) as { status: string }).status, 'degraded');
    for (const transaction of held) await transaction.rollback();
    await db.destroy();
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
      const ready = await onRedis.fetch('/readyz');
      assert.equal(ready.status, 200);
      assert.equal(((await ready.json()) as { status: string }).status, 'degraded');
    } finally {
      await onRedis.stop();
      await redis.stop();
    }
  });
});
