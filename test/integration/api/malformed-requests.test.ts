import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { askRaw, openRaw } from '../../support/http/raw-http.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

type Body = string | Buffer<ArrayBuffer>;

describe('a malformed request', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi({ routes: toyRoutes });
  });
  after(() => api.stop());

  const post = (path: string, body: Body, headers: Record<string, string> = {}) =>
    api.fetch(path, {
      method: 'POST',
      headers: { ...api.headers(), 'content-type': 'application/json', ...headers },
      body,
    });
  const echo = (body: Body, headers?: Record<string, string>) => post('/api-product/toy/echo', body, headers);
  const rawHead = () =>
    Object.entries(api.headers())
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');

  for (const [what, body, status, code] of [
    ['not JSON', '{"text":', 400, 'BODY_NOT_JSON'],
    ['text after the JSON', '{"text":"a"} x', 400, 'BODY_NOT_JSON'],
    ['of the wrong shape', '{"text":1}', 400, 'REQUEST_INVALID'],
    ['an array', '[]', 400, 'REQUEST_INVALID'],
    ['null', 'null', 400, 'REQUEST_INVALID'],
    ['empty', '', 400, 'BODY_REQUIRED'],
    ['white space', ' ', 400, 'BODY_NOT_JSON'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'BODY_NOT_UTF8'],
    ['UTF-16', Buffer.from('\ufeff{"text":"a"}', 'utf16le'), 400, 'BODY_NOT_UTF8'],
    ['a NUL in a text', '{"text":"a\\u0000"}', 400, 'INVALID_TEXT'],
    ['half a surrogate pair', '{"text":"\\ud800"}', 400, 'INVALID_TEXT'],
    ['a number that would be rounded', '{"text":"a","more":[1.0000000000000000001]}', 400, 'NUMBER_NOT_EXACT'],
    ['a number beyond all doubles', '{"text":"a","more":1e400}', 400, 'NUMBER_NOT_EXACT'],
    ['nested without end', '['.repeat(500_000), 400, 'BODY_NOT_JSON'],
    ['nested very deep', '['.repeat(500_000) + ']'.repeat(500_000), 400, 'BODY_TOO_DEEP'],
    ['too large', `{"text":"${'x'.repeat(1_048_576)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
  ] as const) {
    it(`whose body is ${what} is answered ${status} ${code}`, async () => {
      const response = await echo(body);
      const answer = (await response.json()) as { code: string; message: string };
      assert.equal(response.status, status, answer.message);
      assert.equal(answer.code, code);
    });
  }

  it('names the fields that are wrong', async () => {
    const answer = (await (await echo('{"text":1}')).json()) as { errors: unknown };
    assert.deepEqual(answer.errors, [
      { path: 'text', code: 'INVALID_TYPE', message: 'must be a text, not the number 1' },
    ]);
  });

  for (const [what, headers, status] of [
    ['no content type', { 'content-type': '' }, 415],
    ['another content type', { 'content-type': 'text/plain' }, 415],
    ['a content type that is none', { 'content-type': '/;;=' }, 415],
    ['a multipart body', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['another charset', { 'content-type': 'application/json; charset=iso-8859-1' }, 415],
    ['an unknown encoding', { 'content-encoding': 'br' }, 415],
    ['two encodings', { 'content-encoding': 'gzip, gzip' }, 415],
    ['gzip that is none', { 'content-encoding': 'gzip' }, 400],
  ] as const) {
    it(`with ${what} is answered ${status}, small or bulk`, async () => {
      assert.equal((await echo('{"text":"a"}', headers)).status, status);
      assert.equal((await post('/api-product/toy/bulk', '[]', headers)).status, status);
    });
  }

  it('is only that which is malformed: other JSON types, charsets and gzip are taken', async () => {
    for (const headers of [
      { 'content-type': 'APPLICATION/JSON; Charset="UTF-8"' },
      { 'content-type': 'application/merge-patch+json' },
      { 'content-encoding': 'identity' },
    ]) {
      assert.equal((await echo('{"text":"å😀"}', headers)).status, 200);
    }
    const gzipped = await echo(gzipSync('{"text":"å😀"}'), { 'content-encoding': 'GZIP' });
    assert.equal(((await gzipped.json()) as { text: string }).text, 'å😀');
    const bulk = await post('/api-product/toy/bulk', gzipSync(Buffer.alloc(3_000_000, 0x20)), {
      'content-encoding': 'gzip',
    });
    assert.deepEqual(await bulk.json(), { bytes: 3_000_000 });
  });

  it('that inflates beyond the limit is answered 413', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1_048_576, 0x20));
    assert.equal((await echo(bomb, { 'content-encoding': 'gzip' })).status, 413);
    assert.equal((await post('/api-product/toy/bulk', bomb, { 'content-encoding': 'gzip' })).status, 413);
  });

  it('whose gzip is cut short is answered 400', async () => {
    const cut = Buffer.from(gzipSync('{"text":"hello there"}').subarray(0, 20));
    assert.equal((await echo(cut, { 'content-encoding': 'gzip' })).status, 400);
    assert.equal((await post('/api-product/toy/bulk', cut, { 'content-encoding': 'gzip' })).status, 400);
  });

  it('without a body is fine where none is needed', async () => {
    const response = await api.fetch('/jobs/toy/optional', { method: 'POST', headers: api.headers() });
    assert.deepEqual(await response.json(), { body: null });
    const wrong = await post('/jobs/toy/optional', '{');
    assert.equal(wrong.status, 400);
    assert.equal(((await wrong.json()) as { type: string }).type, 'CLIENT_ERROR');
  });

  for (const [path, status] of [
    ['/api-product/toy/%', 400],
    ['/api-product/toy/%zz', 400],
    ['/api-product/toy/%ff', 400],
    ['/api-product/toy/%00', 400],
    ['/api-product/toy/a?x=%', 400],
    ['/api-product/toy/a?x=%ff', 400],
    ['/api-product/toy/a?x=%00', 400],
    ['/api-product/toy/a?&&==&x', 200],
    ['/api-product/toy/a%2Fb?x=a+b', 200],
    [`/api-product/toy/${'a'.repeat(10_000)}`, 200],
    ['/api-product/toy/%F0%9F%98%80', 200],
    ['/api-product/toy', 404],
    ['/api-product/toy/a/b', 404],
    ['/API-PRODUCT/toy/a', 404],
    ['//', 404],
    ['/../../etc/passwd', 404],
  ] as const) {
    it(`for ${path.slice(0, 40)} is answered ${status}`, async () => {
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\n${rawHead()}Connection: close\r\n\r\n`;
      assert.equal((await askRaw(api.url, head)).status, status);
    });
  }

  it('with a query of the wrong type, or given twice, is answered 400', async () => {
    for (const query of ['?n=abc', '?n=1&n=2', '?n=1.5']) {
      assert.equal((await post(`/api-product/toy/echo${query}`, '{"text":"a"}')).status, 400, query);
    }
  });

  for (const [path, wanted] of [
    ['/api-product/none', { code: 'PATH_NOT_FOUND' }],
    ['/jobs/none/none/none', { type: 'NOT_FOUND' }],
    ['/api/v2/none', { message: 'there is nothing at this address; /docs lists all operations' }],
    ['/none', { message: 'there is nothing at this address; /docs lists all operations' }],
  ] as const) {
    it(`for the unknown address ${path} is answered 404 in the words of its area`, async () => {
      const response = await api.fetch(path);
      assert.equal(response.status, 404);
      const answer = (await response.json()) as Record<string, unknown>;
      for (const [field, value] of Object.entries(wanted)) assert.equal(answer[field], value);
    });
  }

  it('by another method is answered 405, with those that there are', async () => {
    const response = await api.fetch('/api-product/toy/echo', { method: 'PATCH' });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'GET, HEAD, POST');
    assert.equal(((await response.json()) as { code: string }).code, 'METHOD_NOT_ALLOWED');
    const options = await api.fetch('/api-product/toy/bulk', { method: 'OPTIONS' });
    assert.equal(options.status, 204);
    assert.ok(options.headers.get('allow')?.includes('POST'));
  });

  it('with a header twice that decides something is answered 400', async () => {
    for (const header of [`authorization: Bearer ${api.token}`, `x-site-context: {"account":"${api.account}"}`]) {
      const { status } = await askRaw(
        api.url,
        `GET /api-product/toy/a HTTP/1.1\r\nHost: x\r\n${rawHead()}${header}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(status, 400, header);
    }
  });

  it('in chunks, without a length, is read like any other', async () => {
    const chunks = '5\r\n{"tex\r\n7\r\nt":"a"}\r\n0\r\n\r\n';
    const head = `POST /api-product/toy/echo HTTP/1.1\r\nHost: x\r\n${rawHead()}content-type: application/json\r\n`;
    const { status } = await askRaw(api.url, `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}`);
    assert.equal(status, 200);
  });

  it('whose chunks are malformed costs nothing but itself', async () => {
    const head = `POST /api-product/toy/bulk HTTP/1.1\r\nHost: x\r\n${rawHead()}content-type: application/json\r\n`;
    const { status } = await askRaw(api.url, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    assert.ok([0, 400].includes(status));
    assert.equal((await echo('{"text":"a"}')).status, 200);
  });

  it('is refused before its body is invited, when it says Expect: 100-continue', async () => {
    const head = (token: string) =>
      `POST /api-product/toy/bulk HTTP/1.1\r\nHost: x\r\nauthorization: Bearer ${token}\r\nx-site-context: {"account":"${api.account}"}\r\n` +
      'content-type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n';
    const refused = openRaw(api.url, head('wrong'));
    assert.match(await refused.received(/\r\n\r\n/), /^HTTP\/1.1 401/);
    refused.socket.destroy();
    const invited = openRaw(api.url, head(api.token));
    assert.match(await invited.received(/\r\n\r\n/), /^HTTP\/1.1 100/);
    invited.socket.write('[]');
    await invited.received(/HTTP\/1.1 200/);
    invited.socket.destroy();
  });

  for (const [how, status] of [
    ['throw', 500],
    ['throw-text', 500],
    ['nul', 400],
    ['stream', 500],
  ] as const) {
    it(`gets ${status} and no detail when the work fails by ${how}`, async () => {
      const response = await api.fetch(`/api/v2/toy/fail?how=${how}`, { headers: api.headers() });
      assert.equal(response.status, status);
      const body = (await response.json()) as { message: string };
      assert.ok(!JSON.stringify(body).includes('secret') && !JSON.stringify(body).includes('.js'));
      if (status === 500) assert.deepEqual(body, { message: 'Internal Server Error' });
    });
  }

  it('is told its id, which it may choose', async () => {
    const chosen = await api.fetch('/none', { headers: { 'x-request-id': 'mine-1' } });
    assert.equal(chosen.headers.get('x-request-id'), 'mine-1');
    const made = await api.fetch('/none', { headers: { 'x-request-id': 'not fit for a log' } });
    assert.match(made.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('answers HEAD like GET, without the body', async () => {
    const response = await api.fetch('/api-product/toy/abc', { method: 'HEAD', headers: api.headers() });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), String('{"sku":"abc"}'.length));
  });
});
