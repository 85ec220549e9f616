/** Bulk and job requests that cannot be taken: the right status and the right family of body, and nothing accepted. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MIB = 1024 * 1024;
const BULK = [
  '/api-product/v1/product/bulk/insert',
  '/api-product/v1/product/bulk/upsert',
  '/api-product/v1/product/bulk/update',
  '/api-product/v1/product/attribute/bulk',
];

describe('a request that cannot be taken', () => {
  let world: World;
  let shop: Shop;
  let stranger: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    [shop, stranger] = await Promise.all([world.newShop(), world.newShop()]);
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(() => world.stop());

  const jobCount = async () => (await shop.ask('GET', '/jobs/product')).count;
  const assertNoTrace = ({ bytes }: Answer) =>
    assert.doesNotMatch(bytes.toString(), /\bat .*\.[jt]s|node_modules|Error:/);
  const assertCatalog = (answer: Answer, status: number, code: string, message?: RegExp) => {
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
    assert.equal(typeof answer.body.message, 'string');
    if (message !== undefined) assert.match(answer.body.message, message);
    assertNoTrace(answer);
  };
  const assertFiles = (answer: Answer, status: number, type: string, message?: RegExp) => {
    assert.deepEqual([answer.status, answer.body.type], [status, type], JSON.stringify(answer.body));
    assert.deepEqual(Object.keys(answer.body).sort(), ['errors', 'message', 'type']);
    assert.ok(Array.isArray(answer.body.errors) && answer.body.errors[0].type === type);
    if (message !== undefined) assert.match(answer.body.message, message);
    assertNoTrace(answer);
  };

  const BODIES: Readonly<
    Record<string, readonly [body: string | Buffer, status: number, code: string, message: RegExp]>
  > = {
    'no JSON': ['sku,title', 400, 'NOT_JSON', /not JSON/],
    'nothing but blanks': ['  ', 400, 'EMPTY_FILE', /empty/],
    'an object': ['{"sku":"a"}', 400, 'NOT_AN_ARRAY', /object, not an array/],
    'a text': ['"a"', 400, 'NOT_AN_ARRAY', /single value/],
    null: ['null', 400, 'NOT_AN_ARRAY', /single value/],
    'an empty array': ['[]', 400, 'EMPTY_ARRAY', /1 to 10,000/],
    'an array that ends too early': ['[{"sku":"a"}', 400, 'NOT_JSON', /before the array is closed/],
    'an array with something behind it': ['[{"sku":"a"}][]', 400, 'NOT_JSON', /more after the array/],
    'a trailing comma': ['[{"sku":"a"},]', 400, 'NOT_JSON', /element is missing/],
    'an element that is no JSON': ['[{"sku":"a"},{"sku" "b"}]', 400, 'NOT_JSON', /element 1 is not JSON/],
    'a NUL byte': [Buffer.from('[{"sku":"a\u0000"}]'), 400, 'NOT_JSON', /element 0/],
    'bytes that are not UTF-8': [Buffer.from('[{"sku":"\xe4"}]', 'latin1'), 400, 'INVALID_ENCODING', /UTF-8/],
    'UTF-16': [Buffer.from('\ufeff[{"sku":"a"}]', 'utf16le'), 400, 'INVALID_ENCODING', /UTF-8/],
    'nesting without end': [`[${'['.repeat(1000)}`, 400, 'TOO_DEEP', /32 levels/],
    '10,001 elements': [`[${'{},'.repeat(10_000)}{}]`, 413, 'TOO_MANY_ROWS', /more than 10000 elements/],
    'more than 32 MiB': [`["${'x'.repeat(32 * MIB)}"]`, 413, 'PAYLOAD_TOO_LARGE', /32 MiB/],
  };
  for (const [what, [body, status, code, message]] of Object.entries(BODIES)) {
    it(`${what}: ${status} ${code}`, async () => {
      const before = await jobCount();
      const paths = code === 'PAYLOAD_TOO_LARGE' ? [...BULK.slice(0, 1), ...BULK.slice(-1)] : BULK;
      for (const path of paths) assertCatalog(await shop.call('POST', path, { body }), status, code, message);
      assert.equal(await jobCount(), before);
    });
  }

  it('a gzip body that expands past the limit: 413', async () => {
    const body = gzipSync(Buffer.alloc(33 * MIB, ' '));
    const answer = await shop.call('POST', BULK[0] ?? '', { body, headers: { 'content-encoding': 'gzip' } });
    assertCatalog(answer, 413, 'PAYLOAD_TOO_LARGE');
  });

  it('a byte order mark before the array is read over', async () => {
    const { status } = await shop.bulk('upsert', '\ufeff[{"sku":"bom","nodeName":"Disk"}]');
    assert.equal(status, 200);
  });

  it('10,000 elements are taken, and each that is wrong fails alone', async () => {
    const { status, body } = await shop.call('POST', BULK[0] ?? '', { body: `[${'5,'.repeat(9999)}5]` });
    assert.equal(status, 202);
    const outcome = await shop.outcome(body.jobId);
    assert.deepEqual([outcome.total, outcome.failed], [10_000, 10_000]);
    assert.deepEqual(
      outcome.summary.map(({ code, rows }) => [code, rows]),
      [['ROW_NOT_OBJECT', '1-10000']],
    );
  });

  it('no body, another type, another charset: 400 and 415', async () => {
    for (const path of BULK) {
      assertCatalog(await shop.call('POST', path), 400, 'BODY_REQUIRED');
      for (const type of ['text/csv', 'text/plain', 'multipart/form-data; boundary=x']) {
        const answer = await shop.call('POST', path, { body: '[]', headers: { 'content-type': type } });
        assertCatalog(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      }
      const latin = { 'content-type': 'application/json; charset=latin1' };
      assertCatalog(await shop.call('POST', path, { body: '[]', headers: latin }), 415, 'UNSUPPORTED_CHARSET');
    }
  });

  describe('for its context', () => {
    const JOBS: [string, string][] = [
      ['GET', '/jobs/product'],
      ['GET', `/jobs/${newId()}`],
      ['GET', `/jobs/${newId()}/errors`],
      ['GET', `/jobs/${newId()}/result`],
      ['POST', `/jobs/${newId()}/actions/cancel`],
    ];
    const send = (method: string, path: string, headers: Readonly<Record<string, string>>) => {
      const options: CallOptions = { headers, ...(path.startsWith('/api-product') ? { body: '[{}]' } : {}) };
      return shop.call(method, path, options);
    };
    const assertRefused = async (headers: Readonly<Record<string, string>>, status: number, type: string) => {
      for (const path of BULK) {
        const answer = await send('POST', path, headers);
        assert.equal(answer.status, status, path);
        assert.equal(typeof answer.body.code, 'string');
        assertNoTrace(answer);
      }
      for (const [method, path] of JOBS) assertFiles(await send(method, path, headers), status, type);
    };

    it('missing, not JSON, or of an account that is none: 400', async () => {
      for (const context of [
        '',
        'x',
        '{}',
        '[]',
        '{"account":"short"}',
        '{"account":5}',
        `{"account":"${newId()}","stage":"ä"}`,
      ]) {
        await assertRefused({ 'x-site-context': context }, 400, 'CLIENT_ERROR');
      }
    });
    it('of another account: 403', async () => {
      await assertRefused({ 'x-site-context': JSON.stringify({ account: stranger.account }) }, 403, 'REQUEST_DENIED');
    });
    it('no token, or an unknown one: 401', async () => {
      for (const authorization of ['', 'Bearer nonsense', 'Basic eDp5']) {
        await assertRefused({ authorization }, 401, 'UNAUTHORIZED_ERROR');
      }
    });
    it('a token without the scope: 403', async () => {
      const { account, token } = await world.api.newAccount(['webhooks:read']);
      const headers = { authorization: `Bearer ${token}`, 'x-site-context': JSON.stringify({ account }) };
      await assertRefused(headers, 403, 'REQUEST_DENIED');
    });
  });

  describe('for its job', () => {
    const PATHS = ['', '/errors', '/result'];

    it('one that does not exist, or whose id is none: 404', async () => {
      for (const id of [newId(), 'x', '0'.repeat(24), 'a'.repeat(5000)]) {
        for (const path of PATHS) assertFiles(await shop.call('GET', `/jobs/${id}${path}`), 404, 'NOT_FOUND');
        assertFiles(await shop.call('POST', `/jobs/${id}/actions/cancel`), 404, 'NOT_FOUND');
      }
    });

    it('another account’s, or another stage’s: 404, under one’s own context', async () => {
      const { body } = await shop.bulk('upsert', [{ sku: 'a', nodeName: 'Disk' }]);
      const others: [Shop, CallOptions][] = [
        [stranger, {}],
        [shop, { context: { stage: 'test' } }],
      ];
      for (const [caller, options] of others) {
        for (const path of PATHS) {
          assertFiles(await caller.call('GET', `/jobs/${body.jobId}${path}`, options), 404, 'NOT_FOUND');
        }
        assertFiles(await caller.call('POST', `/jobs/${body.jobId}/actions/cancel`, options), 404, 'NOT_FOUND');
        const { data } = await caller.ask('GET', `/jobs/product?ids=${body.jobId}`, options);
        assert.deepEqual(data, []);
      }
    });

    it('cancelled after its end: 409, and it stays as it is', async () => {
      const { body } = await shop.bulk('upsert', [{ sku: 'b', nodeName: 'Disk' }]);
      const answer = await shop.call('POST', `/jobs/${body.jobId}/actions/cancel`);
      assertFiles(answer, 409, 'CONFLICT', /ended as COMPLETED and can no longer be cancelled/);
      const rejected = await shop.importFile('a.csv', '');
      assertFiles(await shop.call('POST', `/jobs/${rejected.id}/actions/cancel`), 409, 'CONFLICT', /ended as REJECTED/);
      assert.equal((await shop.outcome(body.jobId)).status, 'COMPLETED');
    });

    it('cancelled while it awaits its upload: 200, the same again, and the upload is refused', async () => {
      const body = { fileName: 'a.csv', fileType: 'ITEM_IMPORT' };
      const announced = await shop.ask('POST', '/files/product', { body });
      for (let time = 0; time < 2; time++) {
        const job = await shop.ask('POST', `/jobs/${announced.jobId}/actions/cancel`);
        assert.equal(job.status, 'CANCELLED');
      }
      assert.equal((await shop.put(announced, 'SKU\na\n')).status, 409);
    });

    it('pages that are none: 400', async () => {
      const { body } = await shop.bulk('upsert', [{ sku: 'c', nodeName: 'Disk' }]);
      for (const query of ['limit=0', 'limit=1001', 'limit=-1', 'offset=-1', 'offset=x', 'limit=1e2']) {
        assertFiles(await shop.call('GET', `/jobs/${body.jobId}/result?${query}`), 400, 'CLIENT_ERROR');
      }
      for (const query of ['status=DONE', 'limit=101', 'offset=-1']) {
        assertFiles(await shop.call('GET', `/jobs/product?${query}`), 400, 'CLIENT_ERROR');
      }
    });

    it('another method or path: 405 with Allow, and 404', async () => {
      const wrong = await shop.call('DELETE', `/jobs/${newId()}`);
      assertFiles(wrong, 405, 'CLIENT_ERROR');
      assert.match(wrong.headers.get('allow') ?? '', /GET/);
      assertFiles(await shop.call('GET', `/jobs/${newId()}/nothing`), 404, 'NOT_FOUND');
      const get = await shop.call('GET', BULK[0] ?? '');
      assert.equal(get.status, 405);
      assert.equal(get.headers.get('allow'), 'POST');
      assertCatalog(
        await shop.call('POST', '/api-product/v1/product/bulk/merge', { body: '[]' }),
        404,
        'PATH_NOT_FOUND',
      );
    });
  });

  it('a bulk request whose Idempotency-Key was used for another: 422; the same again: the same job', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const first = await shop.bulk('upsert', [{ sku: 'i', nodeName: 'Disk' }], { headers });
    const again = await shop.bulk('upsert', [{ sku: 'i', nodeName: 'Disk' }], { headers });
    assert.deepEqual(again.body, first.body);
    const other = await shop.bulk('upsert', [{ sku: 'j', nodeName: 'Disk' }], { headers });
    assertCatalog(other, 422, 'IDEMPOTENCY_KEY_REUSED');
    const otherMode = await shop.bulk('insert', [{ sku: 'i', nodeName: 'Disk' }], { headers });
    assertCatalog(otherMode, 422, 'IDEMPOTENCY_KEY_REUSED');
  });
});
