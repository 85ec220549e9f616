/** Which origins may call the API: the headers of answers, compared exactly. What a browser makes of them: browser-client. */
import assert from 'node:assert/strict';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const ORIGIN = 'https://shop.example.com';
const ALLOW = 'access-control-allow-origin';

describe('calls from pages of other origins', () => {
  let closed: TestApi;
  let open: TestApi;
  before(async () => {
    closed = await startTestApi();
    open = await startTestApi({ environment: { CORS_ORIGINS: `${ORIGIN}, http://localhost:5173` } });
  });
  after(async () => {
    await closed.stop();
    await open.stop();
  });

  const preflight = (api: TestApi, path: string, origin: string) =>
    api.fetch(path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });

  it('are allowed for no origin by default', async () => {
    for (const response of [
      await preflight(closed, '/jobs/product', ORIGIN),
      await closed.fetch('/healthz', { headers: { origin: ORIGIN } }),
    ]) {
      assert.deepEqual(
        [...response.headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
      );
    }
  });

  it('are allowed for the origins that are named, whatever the answer, and never with credentials', async () => {
    for (const origin of [ORIGIN, 'http://localhost:5173']) {
      const asked = await preflight(open, '/jobs/product', origin);
      assert.equal(asked.status, 204);
      assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization.*x-site-context/);
      assert.match(asked.headers.get('access-control-allow-methods') ?? '', /POST/);
      for (const response of [
        asked,
        await open.fetch('/healthz', { headers: { origin } }),
        await open.fetch('/jobs/product', { headers: { origin } }),
        await open.fetch('/nowhere', { headers: { origin } }),
      ]) {
        assert.equal(response.headers.get(ALLOW), origin);
        assert.match(response.headers.get('vary') ?? '', /Origin/i);
        assert.equal(response.headers.get('access-control-allow-credentials'), null);
      }
    }
  });

  it('are allowed for exactly these origins', async () => {
    for (const origin of [
      'https://shop.example.com.evil.example',
      'https://evil-shop.example.com',
      'https://a.shop.example.com',
      'http://shop.example.com',
      'https://shop.example.com:8443',
      'https://SHOP.example.com',
      'https://shop.example.com/',
      'null',
    ]) {
      for (const response of [
        await preflight(open, '/jobs/product', origin),
        await open.fetch('/healthz', { headers: { origin } }),
      ]) {
        assert.equal(response.headers.get(ALLOW), null, origin);
        assert.match(response.headers.get('vary') ?? '', /Origin/i, 'a cache keeps no answer for another origin');
      }
    }
  });

  it('are never allowed on the pages of operators', async () => {
    for (const path of ['/admin', '/admin/queues', '/metrics'])
      assert.equal((await open.fetch(path, { headers: { origin: ORIGIN } })).headers.get(ALLOW), null, path);
  });
});
