/** The operations that the interface description names, line by line of its tables: each is there, at its address, behind its headers. */
import assert from 'node:assert/strict';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const SOME_ID = '0123456789abcdef01234567';

/** "Catalog operations": method, path shape. */
const CATALOG = [
  ['POST', '/api-product/v1/product/attribute/bulk'],
  ['POST', '/api-product/v1/product/attribute/mapping'],
  ['POST', '/api-category/v1/category'],
  ['POST', '/api-category/v1/category/item-attribute'],
  ['POST', '/api-product/v1/product/bulk/insert'],
] as const;

/** "Template, file and job operations". */
const FILES = [
  ['POST', '/item-import-templates'],
  ['POST', '/attribute-import-templates'],
  ['POST', '/bundle-import-templates'],
  ['POST', '/files/product'],
] as const;

const UPDATE_WEBHOOK = ['PATCH', `/api/v2/webhook/${SOME_ID}`] as const;
const SEND_NOTIFICATION = ['POST', '/api/v2/notification/send'] as const;

describe('the operations of the interface description', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());

  async function ask(method: string, path: string, headers: Record<string, string>, body?: string) {
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await api.fetch(path, init);
    const text = await response.text();
    return { status: response.status, allow: response.headers.get('allow') ?? '', text };
  }

  const bearer = () => ({ authorization: `Bearer ${api.token}` });
  const json = { 'content-type': 'application/json' };

  for (const [method, path] of [...CATALOG, ...FILES, UPDATE_WEBHOOK, SEND_NOTIFICATION]) {
    it(`${method} ${path} is there: its address says that it takes ${method}`, async () => {
      const { status, allow } = await ask('OPTIONS', path, {});
      assert.equal(status, 204);
      assert.ok(allow.split(', ').includes(method), allow);
    });

    it(`${method} ${path}: "Bearer authentication", 401 without`, async () => {
      const { status } = await ask(method, path, { ...api.headers(), authorization: '', ...json }, '{}');
      assert.equal(status, 401);
    });
  }

  for (const [method, path] of [...CATALOG, ...FILES, UPDATE_WEBHOOK]) {
    it(`${method} ${path} "requires the x-site-context header"`, async () => {
      assert.equal((await ask(method, path, { ...bearer(), ...json }, '{}')).status, 400);
    });
  }

  describe('"x-site-context is the text of a JSON object"', () => {
    const withContext = (context: string) =>
      ask(...UPDATE_WEBHOOK, { ...bearer(), ...json, 'x-site-context': context }, '{}');

    for (const [rule, over, status] of [
      ['"account | Mandatory"', { account: undefined }, 400],
      ['"A 24-character identifier"', { account: SOME_ID.slice(1) }, 400],
      ["an account that is not the token's", { account: SOME_ID }, 403],
      ['"channel | number": a text is none', { channel: '1' }, 400],
      ['"channel | number"', { channel: 1 }, 404],
      ['"stage | string": a number is none', { stage: 1 }, 400],
      ['"stage | string"', { stage: 'test' }, 404],
      ['"date | ISO 8601 UTC timestamp": another text is none', { date: 'yesterday' }, 400],
      ['"date | ISO 8601 UTC timestamp"', { date: '2026-01-31T12:00:00Z' }, 404],
    ] as const) {
      it(`${rule}: ${status}`, async () => {
        const { status: found, text } = await withContext(JSON.stringify({ account: api.account, ...over }));
        assert.equal(found, status, text);
        assert.deepEqual(Object.keys(JSON.parse(text)), ['message']);
      });
    }

    it('is no JSON: 400', async () => {
      assert.equal((await withContext('account=x')).status, 400);
    });
  });

  it('POST /files/product: "Request: file name and file type in the body. Response: the URL to which the file to be imported is uploaded"', async () => {
    const body = JSON.stringify({ fileName: 'items.csv', fileType: 'ITEM_IMPORT' });
    const { status, text } = await ask('POST', '/files/product', { ...api.headers(), ...json }, body);
    assert.equal(status, 200, text);
    const { location } = JSON.parse(text) as { location: string };
    const uploaded = await fetch(location, { method: 'PUT', body: 'SKU,Category Node\n' });
    assert.equal(uploaded.status, 200);
    await uploaded.body?.cancel();
  });

  it('"All operations below are JSON over HTTP": every answer of theirs that is no file is JSON', async () => {
    for (const [method, path] of [...CATALOG, UPDATE_WEBHOOK, SEND_NOTIFICATION, ['POST', '/files/product'] as const]) {
      for (const body of ['{}', 'no json']) {
        const response = await api.fetch(path, { method, headers: { ...api.headers(), ...json }, body });
        assert.match(response.headers.get('content-type') ?? '', /^application\/json/, path);
        JSON.parse(await response.text());
      }
    }
  });
});
