/** The console as it is served: one page with a nonce for each request, files that browsers keep, and nothing else of the disk. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

describe('the console', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api?.stop());

  /** Asks for an address as it is written: `fetch` would resolve its dots. */
  async function asWritten(path: string, headers: Readonly<Record<string, string>> = {}) {
    const sent = request(api.url, { path, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
  }

  async function page(path: string): Promise<{ readonly answer: Response; readonly text: string }> {
    const answer = await api.fetch(path);
    return { answer, text: await answer.text() };
  }

  it('has a nonce of its own for each request, and allows nothing else to run', async () => {
    const nonces = new Set<string>();
    for (const path of ['/console', '/console/', '/console/production/imports/6b07c2817a43e591028b0fb6?x=1']) {
      const { answer, text } = await page(path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
      const policy = answer.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self' 'nonce-[\w+/=]{24}'; style-src 'self' 'nonce-/);
      for (const rule of ["connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        assert.ok(policy.includes(`${rule};`) || policy.endsWith(rule), rule);
      }
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      assert.equal(text.split(`nonce="${nonce}"`).length, 3);
      assert.doesNotMatch(text, /\{\w+\}|<style|onload=/);
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 3);
  });

  it('sends its files compressed, to be kept', async () => {
    const { text } = await page('/console/');
    const files = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    assert.equal(files.length, 3);
    for (const path of files) {
      const plain = await asWritten(path, { 'accept-encoding': 'identity' });
      assert.equal(plain.status, 200);
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(plain.headers['content-encoding'], undefined);
      const compressed = await asWritten(path, { 'accept-encoding': 'gzip, br' });
      assert.equal(compressed.headers['content-encoding'], 'gzip');
      assert.match(String(compressed.headers.vary), /Accept-Encoding/);
      assert.equal(compressed.headers['content-type'], plain.headers['content-type']);
      assert.deepEqual(gunzipSync(compressed.body), plain.body);
    }
  });

  it('gives out no other file, however it is asked for', async () => {
    for (const path of [
      '/console/assets/missing.js',
      '/console/assets/',
      '/console/assets/../index.html',
      '/console/assets/%2e%2e/outputs.json',
      '/console/assets/..%2foutputs.json',
      '/console/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json',
      '/console/assets/__proto__',
    ]) {
      const { status, body } = await asWritten(path);
      assert.equal(status, 404, path);
      assert.doesNotMatch(body.toString(), /workspaces|src\/main/);
    }
    for (const path of [
      '/console/../package.json',
      '/console/outputs.json',
      '/console/index.html/..%2f..%2fpackage.json',
    ]) {
      const { status, body } = await asWritten(path);
      assert.ok(status === 200 || status === 404, path);
      assert.doesNotMatch(body.toString(), /workspaces|src\/main/);
    }
    assert.equal((await api.fetch('/consoles')).status, 404);
  });

  it('can only be read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await api.fetch('/console/', { method });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
      await answer.body?.cancel();
    }
    assert.equal((await api.fetch('/console/', { method: 'HEAD' })).status, 200);
  });
});
