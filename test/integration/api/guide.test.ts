/** The guide as browsers find it: every page and every link of it is served by the system itself. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));

describe('the guide of a running system', () => {
  let api: TestApi;
  /** Path → HTML, of all pages that links lead to from /guide. */
  const pages = new Map<string, string>();
  before(async () => {
    api = await startTestApi();
    const waiting = ['/guide'];
    for (const path of waiting) {
      if (pages.has(path)) continue;
      const response = await api.fetch(path);
      assert.equal(response.status, 200, path);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      pages.set(path, await response.text());
      waiting.push(
        ...targetsOf(path)
          .map(({ pathname }) => pathname)
          .filter((target) => target.startsWith('/guide')),
      );
    }
  });
  after(() => api.stop());

  /** The links of a page to this system. */
  function targetsOf(path: string): URL[] {
    const page = new URL(path, `${api.url}/`);
    const links = [...(pages.get(path) ?? '').matchAll(/<a href="([^"]*)"/g)].map(
      ([, href]) => new URL(href ?? '', page),
    );
    return links.filter(({ origin }) => origin === page.origin);
  }

  it('has a page for each file of docs/guide and docs/use, and links lead to all of them', () => {
    for (const [folder, address] of [
      ['guide', '/guide'],
      ['use', '/guide/use'],
    ] as const) {
      for (const name of readdirSync(`${DOCS}${folder}`)) {
        const path = name === 'README.md' ? address : `${address}/${name.replace(/\.md$/, '')}`;
        assert.ok(pages.has(path), `${path} is linked from nowhere`);
      }
    }
  });

  it('has the pictures that its pages show, and shows all of them', async () => {
    const shown = new Set<string>();
    for (const [path, html] of pages) {
      for (const [, source = ''] of html.matchAll(/<img [^>]*src="([^"]+)"/g)) {
        const { pathname } = new URL(source, new URL(path, `${api.url}/`));
        const response = await api.fetch(pathname);
        assert.equal(response.status, 200, `${path} shows ${pathname}`);
        assert.equal(response.headers.get('content-type'), 'image/png');
        assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
        shown.add(pathname.split('/').at(-1) ?? '');
      }
    }
    assert.deepEqual([...shown].sort(), readdirSync(`${DOCS}pictures`).sort());
    assert.notEqual(shown.size, 0);
  });

  it('has links to pages and headings that exist', async () => {
    for (const path of pages.keys()) {
      for (const { pathname, hash } of targetsOf(path)) {
        const target = pages.get(pathname) ?? (await (await api.fetch(pathname)).text());
        assert.ok(pages.has(pathname) || pathname === '/docs', `${path} links ${pathname}`);
        const id = decodeURIComponent(hash.slice(1));
        assert.ok(id === '' || target.includes(` id="${id}"`), `${path} links ${pathname}${hash}`);
      }
    }
  });

  it('loads nothing from elsewhere and runs no script, and the browser is made to keep to that', async () => {
    const response = await api.fetch('/guide');
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self';/);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    for (const [path, html] of pages) {
      assert.doesNotMatch(html, /<script|style=|<(?:img|iframe)[^>]+src="https?:/, path);
      for (const [, href = ''] of html.matchAll(/<link [^>]*href="([^"]+)"/g)) {
        const asset = new URL(href, `${api.url}${path}`);
        assert.equal((await api.fetch(asset.pathname)).status, 200, `${path} needs ${asset.pathname}`);
      }
    }
  });

  it('has the addresses of its pages relative, so that they work behind a path prefix', () => {
    for (const html of pages.values()) assert.doesNotMatch(html, /(?:href|src)="\//);
  });

  it('answers 304 to a browser that has the page, and a redirect to one with a slash at its end', async () => {
    const etag = (await api.fetch('/guide')).headers.get('etag') ?? '';
    const again = await api.fetch('/guide', { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    const slash = await api.fetch('/guide/');
    assert.equal(slash.status, 302);
    assert.equal(new URL(slash.headers.get('location') ?? '', `${api.url}/guide/`).pathname, '/guide');
  });

  it('serves no other file', async () => {
    for (const name of ['README', 'README.md', '..%2FREADME', 'use', '__proto__', 'constructor']) {
      assert.equal((await api.fetch(`/guide/${name}`)).status, 404, name);
    }
    assert.equal((await api.fetch('/guide/use/..%2F..%2FREADME')).status, 404);
  });
});
