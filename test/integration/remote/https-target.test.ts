/** Files that are sent to an address behind https: a real server on loopback, which takes, refuses, hangs or breaks off. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { openHttpsTarget } from '../../../src/platform/remote/https-target.js';
import type { RemoteFailureCode } from '../../../src/platform/remote/remote-folder.js';
import { SELF_SIGNED } from '../../support/faults/certificates.js';
import type { Answer } from '../../support/http/https-server.js';
import { type HttpsOptions, httpsTest } from '../../support/http/https-test.js';
import {
  assertFails,
  IMPATIENT_MS,
  never,
  PATIENT_MS,
  rebindingGuard,
  STRICT_GUARD,
} from '../../support/http/remote-test.js';
import { until } from '../../support/until.js';

const CONTENT = Buffer.alloc(5_000_001, 'sku,title\n');

describe('a file that is sent to an address behind https', function () {
  this.timeout(30_000);
  const { serve, open } = httpsTest(openHttpsTarget);

  const pieces = () => {
    const size = 64 * 1024;
    const count = Math.ceil(CONTENT.length / size);
    return Readable.from(Array.from({ length: count }, (_, nth) => CONTENT.subarray(nth * size, (nth + 1) * size)));
  };
  const send = async (url: string, target: HttpsOptions = {}, name = 'items.csv', signal = never()) =>
    (await open(url, target)).write(name, pieces(), signal, CONTENT.length);
  const bodyOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray());
  const taking =
    (taken: Buffer[], status = 201): Answer =>
    async (request, response) => {
      taken.push(await bodyOf(request));
      response.writeHead(status).end();
    };
  const answers =
    (status: number, headers: Record<string, string> = {}): Answer =>
    async (request, response) => {
      await bodyOf(request);
      response.writeHead(status, headers).end('a page');
    };

  for (const status of [200, 201, 202, 204]) {
    it(`comes whole, with its size and type, and is taken with ${status}`, async () => {
      const taken: Buffer[] = [];
      const server = await serve(taking(taken, status));
      await send(`${server.origin}/in/catalog?sig=a%2Bb`);
      const [request] = server.requests;
      assert.deepEqual([request?.method, request?.path], ['PUT', '/in/catalog?sig=a%2Bb']);
      assert.equal(request?.headers['content-length'], String(CONTENT.length));
      assert.equal(request?.headers['content-type'], 'text/csv; charset=utf-8');
      assert.ok(taken[0]?.equals(CONTENT));
    });
  }

  it('was taken also when the server answers before the source says that there is no more', async () => {
    const server = await serve((_, response) => void response.writeHead(201).end());
    const folder = await open(`${server.origin}/in`);
    let isAnswered = () => {};
    const answered = new Promise<void>((resolve) => {
      isAnswered = resolve;
    });
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('sku,title\n');
        await answered;
      })(),
    );
    await folder.write('items.csv', source, never(), 10);
    isAnswered();
  });

  it('has its own name in a folder, and cannot leave it', async () => {
    const taken: Buffer[] = [];
    const server = await serve(taking(taken));
    await send(`${server.origin}/in/?key=1`, {}, 'items of today #1.parquet');
    const [request] = server.requests;
    assert.equal(request?.path, '/in/items%20of%20today%20%231.parquet?key=1');
    assert.equal(request?.headers['content-type'], 'application/vnd.apache.parquet');
    for (const name of ['..', '../x.csv', 'a/b.csv']) {
      await assertFails(send(`${server.origin}/in/`, {}, name), 'NOT_ALLOWED');
    }
    assert.equal(server.requests.length, 1);
  });

  for (const [auth, secret, header, value] of [
    [{ type: 'basic', user: 'shop' }, 'p:w', 'authorization', `Basic ${Buffer.from('shop:p:w').toString('base64')}`],
    [{ type: 'bearer' }, 'let me in', 'authorization', 'Bearer let me in'],
    [{ type: 'header', name: 'X-Api-Key' }, 'k1', 'x-api-key', 'k1'],
  ] as const) {
    it(`brings its login (${auth.type})`, async () => {
      const server = await serve(taking([]));
      await send(`${server.origin}/in`, { auth, secret });
      assert.equal(server.requests[0]?.headers[header], value);
    });
  }

  const REFUSALS: readonly (readonly [status: number, code: RemoteFailureCode, isTransient: boolean])[] = [
    [400, 'NOT_SUPPORTED', false],
    [401, 'REFUSED_LOGIN', false],
    [403, 'NOT_ALLOWED', false],
    [404, 'NOT_FOUND', false],
    [405, 'NOT_SUPPORTED', false],
    [411, 'NOT_SUPPORTED', false],
    [413, 'TOO_LARGE', false],
    [429, 'UNREACHABLE', true],
    [500, 'UNREACHABLE', true],
    [503, 'UNREACHABLE', true],
  ];
  for (const [status, code, isTransient] of REFUSALS) {
    it(`fails as ${code} when the server answers ${status}`, async () => {
      const server = await serve(answers(status));
      const failure = await assertFails(send(`${server.origin}/in`), code, new RegExp(`status ${status}`));
      assert.equal(failure.isTransient, isTransient);
      assert.equal(server.requests.length, 1);
    });
  }

  it('says what the server refuses while the file is still sent', async () => {
    const server = await serve((_, response) => void response.writeHead(401).end());
    await assertFails(send(`${server.origin}/in`), 'REFUSED_LOGIN');
  });

  for (const location of ['/elsewhere', 'https://10.1.2.3/in', 'http://127.0.0.1/in']) {
    it(`does not follow a redirect to ${location}, neither with the file nor with the login`, async () => {
      const server = await serve(answers(307, { location }));
      const target = { auth: { type: 'bearer' }, secret: 's' } as const;
      await assertFails(send(`${server.origin}/in`, target), 'NOT_SUPPORTED', /redirect/);
      assert.equal(server.requests.length, 1);
    });
  }

  describe('is sent nowhere inside', () => {
    for (const url of [
      'https://10.1.2.3/in',
      'https://inside.example/in',
      'https://half-inside.example/in',
      'https://[::1]/in',
    ]) {
      it(url, () => assertFails(send(url, { guard: STRICT_GUARD }), 'NOT_ALLOWED'));
    }
    it('also when the name leads elsewhere the second time', async () => {
      const { guard } = rebindingGuard(['127.0.0.1']);
      const taken: Buffer[] = [];
      const server = await serve(taking(taken));
      const url = `https://rebound.example:${server.port}/in`;
      await assertFails(send(url, { guard }), 'UNREACHABLE', /certificate/);
      await assertFails(send(url, { guard }), 'NOT_ALLOWED');
      assert.deepEqual(taken, []);
    });
    it('nor to a server that nobody vouches for', async () => {
      const server = await serve(taking([]), SELF_SIGNED);
      await assertFails(send(`${server.origin}/in`), 'UNREACHABLE', /self-signed/);
    });
  });

  describe('fails in time, and not as taken, when the server', () => {
    it('says nothing after it has read the file', async () => {
      const server = await serve(async (request) => void (await bodyOf(request)));
      await assertFails(send(`${server.origin}/in`, { idleMs: 50 }), 'TIMED_OUT');
    });

    it('reads half of the file and no more', async () => {
      const server = await serve((request) => void request.once('data', () => request.pause()));
      await assertFails(send(`${server.origin}/in`, { idleMs: IMPATIENT_MS }), 'TIMED_OUT');
    });

    it('reads half of the file, and answers that all is well', async () => {
      const server = await serve((request, response) => {
        request.once('data', () => {
          request.pause();
          response.writeHead(200).end('ok');
        });
      });
      await assertFails(send(`${server.origin}/in`), 'BROKEN_OFF', /before it has read the whole file/);
    });

    it('reads half of the file, and closes the connection', async () => {
      const server = await serve((request) => void request.once('data', () => request.socket.destroy()));
      await assertFails(send(`${server.origin}/in`), 'BROKEN_OFF');
    });

    it('closes the connection instead of an answer', async () => {
      const server = await serve(async (request) => {
        await bodyOf(request);
        request.socket.destroy();
      });
      await assertFails(send(`${server.origin}/in`), 'BROKEN_OFF');
    });
  });

  it('is not cut off because it takes longer than a server may be silent', async () => {
    const taken: Buffer[] = [];
    const server = await serve(taking(taken));
    // Also a connection has to be made within it, on a machine that does something else.
    const folder = await open(`${server.origin}/in`, { idleMs: 1_500 });
    async function* slowly(): AsyncGenerator<Buffer> {
      for (let nth = 0; nth < 8; nth++) {
        const next = performance.now() + 200;
        await until('the source has more', async () => performance.now() > next, PATIENT_MS);
        yield Buffer.from('sku,title\n');
      }
    }
    await folder.write('items.csv', Readable.from(slowly()), never(), 80);
    assert.equal(taken[0]?.length, 80);
  });

  it('ends with the signal, and with the source', async () => {
    const server = await serve((request) => void request.once('data', () => request.pause()));
    const ends = new AbortController();
    const sent = send(`${server.origin}/in`, {}, 'items.csv', ends.signal);
    setImmediate(() => ends.abort(new Error('enough')));
    await assert.rejects(sent, /enough/);
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('sku');
        throw new Error('the store is gone');
      })(),
    );
    await assert.rejects((await open(`${server.origin}/in`)).write('a.csv', broken, never(), 100), /the store is gone/);
  });

  it('is asked for nothing by a test but whether the address answers', async () => {
    let status = 405;
    const server = await serve((_, response: ServerResponse) => void response.writeHead(status).end());
    const folder = await open(`${server.origin}/in/`);
    for (status of [200, 204, 403, 404, 405]) await folder.reach?.(never());
    status = 401;
    await assertFails(folder.reach?.(never()) ?? Promise.resolve(), 'REFUSED_LOGIN');
    status = 302;
    await assertFails(folder.reach?.(never()) ?? Promise.resolve(), 'NOT_SUPPORTED');
    status = 502;
    await assertFails(folder.reach?.(never()) ?? Promise.resolve(), 'UNREACHABLE');
    assert.ok(server.requests.every(({ method }) => method === 'HEAD'));
  });
});
