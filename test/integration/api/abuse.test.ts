import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../src/api/app.js';
import { startServer } from '../../../src/api/server.js';
import { createClient } from '../../../src/domain/access/clients.js';
import { openRaw } from '../../support/http/raw-http.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

interface Tenant {
  readonly account: string;
  readonly token: string;
}

/** One tenant attacks; the requests of the other succeed. */
describe('a tenant who attacks stops no other', () => {
  let api: TestApi;
  let other: Tenant;
  before(async () => {
    api = await startTestApi();
    other = await api.newAccount();
  });
  after(() => api.stop());

  const ordinaryWork = async () => {
    const headers = { ...api.headers(other), 'tenant-key': other.account, 'content-type': 'application/json' };
    const event = { source: 'SHOP_SERVICE', event: 'ORDER:CREATED', payload: { id: 1 } };
    const emitted = await api.fetch('/api/v2/event', { method: 'POST', headers, body: JSON.stringify(event) });
    assert.ok(emitted.ok, `${emitted.status} ${await emitted.text()}`);
    const read = await api.fetch('/api-category/v1/category', { headers });
    assert.ok(read.ok, `${read.status} ${await read.text()}`);
  };

  it('by announcing large bodies and sending nothing', async () => {
    const own = Object.entries(api.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api-product/v1/product/bulk/insert HTTP/1.1\r\nHost: x\r\n${own.join('')}content-type: application/json\r\nContent-Length: 33554432\r\n`;
    const idle = Array.from({ length: 10 }, () => openRaw(api.url, `${head}Expect: 100-continue\r\n\r\n`));
    await Promise.all(idle.map((connection) => connection.received(/^HTTP\/1.1 100/)));
    await ordinaryWork();
    for (const { socket } of idle) socket.destroy();
  });

  it('by guessing the secret of an OAuth client: 401, then 429 with Retry-After', async () => {
    const client = await createClient(api.db, { accountId: other.account, name: 'shop' });
    const ask = (clientId: string, secret: string) =>
      api.fetch('/oauth2/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }),
      });
    const statuses: number[] = [];
    for (let guess = 0; guess < 8; guess++) statuses.push((await ask(client.clientId, `guess ${guess}`)).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    const right = await ask(client.clientId, client.clientSecret);
    assert.equal(right.status, 429, 'nothing shows that the secret is right');
    assert.match(right.headers.get('retry-after') ?? '', /^[1-9]/);
    const neighbour = await createClient(api.db, { accountId: other.account, name: 'another' });
    assert.equal((await ask(neighbour.clientId, neighbour.clientSecret)).status, 200);
    await ordinaryWork();
  });

  it('by naming stages that do not exist: reading creates nothing', async () => {
    const reader = await api.newAccount(['catalog:read']);
    const stages = async () => (await api.db('site').where({ account_id: reader.account })).length;
    for (const path of ['/api-product/v1/product', '/api-category/v1/category']) {
      const read = await api.fetch(path, { headers: api.headers({ ...reader, stage: 'new' }) });
      assert.equal(read.status, 200, `${path}: ${await read.text()}`);
    }
    const template = await api.fetch('/item-import-templates', {
      method: 'POST',
      headers: api.headers({ ...reader, stage: 'new' }),
    });
    assert.equal(template.status, 404);
    assert.match(await template.text(), /stage new/);
    assert.equal(await stages(), 0);
  });

  it('by creating more attributes than a template can have columns', async () => {
    const headers = { ...api.headers(), 'content-type': 'application/json' };
    const created = await api.fetch('/api-category/v1/category', { method: 'POST', headers, body: '{"name":"A"}' });
    assert.equal(created.headers.get('cache-control'), 'no-store');
    const site = await api.db('site').where({ account_id: api.account }).first('id');
    assert.ok(site !== undefined);
    await api.db.raw(
      `INSERT INTO attribute (id, site_id, name, name_key, type, position, definition)
       SELECT lpad(n::text, 24, '0'), ?, 'A' || n, 'a' || n, 'TEXT', n, '{"validation": {}}' FROM generate_series(1, 20000) AS n`,
      [site.id],
    );
    for (const format of ['CSV', 'XLSX']) {
      const body = JSON.stringify({ format });
      const template = await api.fetch('/item-import-templates', { method: 'POST', headers, body });
      assert.equal(template.status, 422);
      assert.match(await template.text(), /20003 columns.*at most 2000; name a category/);
    }
    await ordinaryWork();
  });

  it('by announcing files that it never uploads: 429, also over its stages, and not for a repeated request', async () => {
    const few = createApp({ ...api.services, config: { ...api.services.config, openUploadsPerAccount: 3 } });
    const server = await startServer(few.callback(), { host: '127.0.0.1', port: 0 });
    try {
      const attacker = await api.newAccount();
      const announce = (who: Tenant, stage: string, key: string) =>
        fetch(`${server.url}/files/product`, {
          method: 'POST',
          headers: { ...api.headers({ ...who, stage }), 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify({ fileName: 'a.csv', fileType: 'ITEM_IMPORT' }),
        });
      const first = await (await announce(attacker, 'one', 'first')).text();
      for (const key of ['second', 'third']) assert.equal((await announce(attacker, 'two', key)).status, 200);
      const refused = await announce(attacker, 'three', 'fourth');
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
      assert.match(await refused.text(), /3 announced files of this account wait for their upload/);
      const again = await announce(attacker, 'one', 'first');
      assert.deepEqual([again.status, await again.text()], [200, first], 'a repeated request spends nothing');
      assert.equal((await announce(other, 'one', 'first')).status, 200);
      const { jobId } = JSON.parse(first) as { jobId: string };
      const cancelled = await api.fetch(`/jobs/${jobId}/actions/cancel`, {
        method: 'POST',
        headers: api.headers({ ...attacker, stage: 'one' }),
      });
      assert.equal(cancelled.status, 200);
      assert.equal((await announce(attacker, 'three', 'fourth')).status, 200, 'one less is open');
    } finally {
      await server.stop(0);
    }
  });

  it('by testing webhooks whose targets do not answer: 429 beyond 5 at a time, which hold no turn', async () => {
    const held: ServerResponse[] = [];
    let reached: () => void = () => undefined;
    const target = createServer((_request, response) => {
      held.push(response);
      reached();
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    try {
      const headers = { ...api.headers(), 'content-type': 'application/json' };
      const body = JSON.stringify(
        webhookBody({ target: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` }),
      );
      const made = await api.fetch('/api/v2/webhook', { method: 'POST', headers, body });
      const { webhookId } = (await made.json()) as { webhookId: string };
      const test = () =>
        api.fetch(`/api/v2/webhook/${webhookId}/actions/test`, { method: 'POST', headers: api.headers() });
      const all = new Promise<void>((resolve) => {
        reached = () => {
          if (held.length === 5) resolve();
        };
      });
      const waiting = Array.from({ length: 5 }, test);
      await all;
      const refused = await test();
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5']);
      assert.match(await refused.text(), /5 tests of this account wait/);
      await ordinaryWork();
      for (const response of held) response.writeHead(204).end();
      for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200);
      const again = test();
      reached = () => held.at(-1)?.writeHead(204).end();
      assert.equal((await again).status, 200);
    } finally {
      target.closeAllConnections();
      target.close();
    }
  });

  const announcedJob = async (who: Tenant) => {
    const file = await api.fetch('/files/product', {
      method: 'POST',
      headers: { ...api.headers(who), 'content-type': 'application/json' },
      body: JSON.stringify({ fileName: 'a.csv', fileType: 'ITEM_IMPORT' }),
    });
    return ((await file.json()) as { jobId: string }).jobId;
  };

  it('by waiting with 500 clients: its next one is answered at once, and that of the other waits beside them', async () => {
    const { jobEnds } = api.services;
    const attacker = await api.newAccount();
    const jobId = await announcedJob(attacker);
    const leave = new AbortController();
    let answered = 0;
    const client = { accountId: attacker.account, ms: 600_000, signal: leave.signal };
    const waiting = Array.from({ length: 500 }, async () => {
      const ended = await jobEnds.wait(jobId, client);
      answered++;
      return ended;
    });
    assert.equal(await jobEnds.wait(jobId, client), false, 'there is no room for another one');
    assert.equal(answered, 0);
    const send = (who: Tenant, seconds: number) =>
      api.fetch('/api-product/v1/product/bulk/insert', {
        method: 'POST',
        headers: { ...api.headers(who), 'content-type': 'application/json', prefer: `wait=${seconds}` },
        body: '[{"sku":"a"}]',
      });
    const refused = await send(attacker, 25);
    assert.equal(refused.status, 202, await refused.text());
    const beganAt = performance.now();
    assert.equal((await send(other, 1)).status, 202, 'there is no worker');
    assert.ok(performance.now() - beganAt >= 950, 'it has waited');
    assert.equal(answered, 0);
    leave.abort();
    assert.ok((await Promise.all(waiting)).every((ended) => !ended));
  });

  it('by waiting for a job with more clients than have a turn: none of them holds one', async () => {
    const attacker = await api.newAccount();
    const jobId = await announcedJob(attacker);
    const leave = new AbortController();
    const headers = { ...api.headers(attacker), prefer: 'wait=25' };
    const waiting = Array.from({ length: 140 }, () => api.fetch(`/jobs/${jobId}`, { headers, signal: leave.signal }));
    // Its own requests do not wait for them either.
    const beganAt = performance.now();
    const list = await api.fetch('/jobs/product', { headers: api.headers(attacker) });
    assert.equal(list.status, 200);
    await ordinaryWork();
    assert.ok(performance.now() - beganAt < 10_000, 'they were answered while the clients wait');
    const cancelled = await api.fetch(`/jobs/${jobId}/actions/cancel`, {
      method: 'POST',
      headers: api.headers(attacker),
    });
    assert.equal(cancelled.status, 200);
    for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200);
    leave.abort();
  });

  it('by sending many requests at once: they wait for their turn, and those of the other do not', async () => {
    const headers = { ...api.headers(), 'tenant-key': api.account, 'content-type': 'application/json' };
    const body = JSON.stringify({ source: 'SHOP_SERVICE', event: 'ORDER:CREATED', payload: 'x'.repeat(1_000) });
    await ordinaryWork();
    let answered = 0;
    const flood = Array.from({ length: 400 }, async () => {
      const { status } = await api.fetch('/api/v2/event', { method: 'POST', headers, body });
      answered++;
      return status;
    });
    await Promise.race(flood);
    await ordinaryWork();
    const before = answered;
    const statuses = new Set(await Promise.all(flood));
    assert.ok(
      [...statuses].every((status) => status === 202 || status === 429),
      [...statuses].join(),
    );
    assert.ok(before < flood.length, 'the other tenant did not wait until all of them were answered');
  });
});
