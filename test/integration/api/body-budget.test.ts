import assert from 'node:assert/strict';
import { openRaw, type RawConnection } from '../../support/http/raw-http.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const MEBIBYTE = 1_048_576;

describe('the bytes of bodies in flight', () => {
  let api: TestApi;
  const open: RawConnection[] = [];
  before(async () => {
    api = await startTestApi({ routes: toyRoutes, environment: { BODY_BUDGET_MB: '8' } });
  });
  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.destroy();
    await until('the budget is free', async () => (await bulk(8 * MEBIBYTE)).status === 200, 20_000);
  });
  after(() => api.stop());

  const bulk = (bytes: number) =>
    api.fetch('/api-product/toy/bulk', {
      method: 'POST',
      headers: { ...api.headers(), 'content-type': 'application/json' },
      body: Buffer.alloc(bytes, 0x20),
    });
  /** A request that has announced its body and waits. */
  const announce = (headers: string, body: string | Buffer = '') => {
    const own = Object.entries(api.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api-product/toy/bulk HTTP/1.1\r\nHost: x\r\n${own.join('')}content-type: application/json\r\n${headers}\r\n\r\n`;
    const connection = openRaw(api.url, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
    open.push(connection);
    return connection;
  };

  it('are refused with 503 and Retry-After while others hold them, before the body is read', async () => {
    const holder = announce(`Content-Length: ${6 * MEBIBYTE}\r\nExpect: 100-continue`);
    await holder.received(/^HTTP\/1.1 100/);
    const refused = announce(`Content-Length: ${3 * MEBIBYTE}`);
    const text = await refused.received(/BODY_BUDGET_SPENT/);
    assert.match(text, /^HTTP\/1.1 503/);
    assert.match(text, /retry-after: [1-9]/i);
    assert.equal((await bulk(MEBIBYTE)).status, 200);

    holder.socket.write(Buffer.alloc(6 * MEBIBYTE, 0x20));
    assert.match(await holder.received(/HTTP\/1.1 200/), new RegExp(`${6 * MEBIBYTE}`));
    assert.equal((await bulk(8 * MEBIBYTE)).status, 200);
  });

  it('are given back by a client that goes away', async () => {
    const holder = announce(`Content-Length: ${8 * MEBIBYTE}\r\nExpect: 100-continue`);
    await holder.received(/^HTTP\/1.1 100/);
    assert.equal((await bulk(MEBIBYTE)).status, 503);
    holder.socket.destroy();
    await until('the bytes are free', async () => (await bulk(8 * MEBIBYTE)).status === 200, 20_000);
  });

  it('are counted as they come, when no length was told', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE, 0x20), Buffer.from('\r\n')]);
    const holder = announce('Transfer-Encoding: chunked', Buffer.concat(Array.from({ length: 6 }, () => chunk)));
    await until('six MiB are held', async () => (await bulk(3 * MEBIBYTE)).status === 503, 20_000);
    holder.socket.write(Buffer.concat([chunk, chunk, chunk]));
    assert.match(await holder.received(/\r\n\r\n/), /^HTTP\/1.1 503/);
  });

  it('never exceed the limit of one request, whatever the budget: 413 at once', async () => {
    const text = await announce(`Content-Length: ${33 * MEBIBYTE}`).received(/PAYLOAD_TOO_LARGE/);
    assert.match(text, /^HTTP\/1.1 413/);
  });

  it('let a client that is refused finish sending, so that it sees the answer', async () => {
    assert.equal((await bulk(20 * MEBIBYTE)).status, 503);
  });

  it('leave small requests and health alone', async () => {
    const holder = announce(`Content-Length: ${6 * MEBIBYTE}\r\nExpect: 100-continue`);
    await holder.received(/^HTTP\/1.1 100/);
    const small = await api.fetch('/api-product/toy/echo', {
      method: 'POST',
      headers: { ...api.headers(), 'content-type': 'application/json' },
      body: '{"text":"a"}',
    });
    assert.equal(small.status, 200);
  });
});
