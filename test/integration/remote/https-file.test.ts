/** Files behind https: a real server on loopback, with a certificate of an authority that only these tests trust. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { openHttpsFile } from '../../../src/platform/remote/https-file.js';
import type { RemoteFile, RemoteFolder } from '../../../src/platform/remote/remote-folder.js';
import { EXPIRED, OF_ANOTHER_HOST, SELF_SIGNED } from '../../support/faults/certificates.js';
import { type Answer, fileAnswer, type HttpsServer } from '../../support/http/https-server.js';
import { type HttpsOptions, httpsTest } from '../../support/http/https-test.js';
import {
  assertFails,
  bytesOf,
  IMPATIENT_MS,
  never,
  rebindingGuard,
  STRICT_GUARD,
} from '../../support/http/remote-test.js';

const LIMITS = { maxBytes: 10_000_000 };
const ALL = { pattern: '*', limit: 10 };
const CONTENT = Buffer.alloc(1_000_001, 'sku,title\n');
const PAGE = '<!DOCTYPE html>\n<html><body>Please log in</body></html>';

describe('a file behind https', function () {
  this.timeout(30_000);
  const { serve, open } = httpsTest(openHttpsFile);

  async function look(folder: RemoteFolder): Promise<RemoteFile> {
    const [file] = (await folder.list(ALL, never())).files;
    if (file === undefined) throw new Error('it lists no file');
    return file;
  }

  async function run(url: string, options?: HttpsOptions): Promise<Buffer> {
    const folder = await open(url, options);
    return bytesOf(await folder.read(await look(folder), LIMITS, never()));
  }

  /** The text, and no HEAD. */
  const says = (text: string, headers: Record<string, string> = {}, status = 200): Answer => {
    return (_, response) => void response.writeHead(status, headers).end(text);
  };

  describe('is seen', () => {
    it('with name, size, time and version, without being sent', async () => {
      const server = await serve(
        fileAnswer(() => ({
          bytes: CONTENT,
          headers: { etag: '"v1"', 'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT' },
        })),
      );
      const file = await look(await open(`${server.origin}/exports/catalog%20of%20today.csv?token=secret`));
      assert.deepEqual(file, {
        name: 'catalog of today.csv',
        bytes: CONTENT.length,
        modifiedAt: new Date(1_700_000_000_000),
        version: '"v1"',
      });
      assert.deepEqual(
        server.requests.map(({ method }) => method),
        ['HEAD'],
      );
    });

    it('again only if it is another one', async () => {
      const server = await serve(fileAnswer(() => ({ bytes: CONTENT })));
      const folder = await open(`${server.origin}/a.csv`);
      assert.deepEqual(await look(folder), await look(folder));
      assert.ok(server.requests[1]?.headers['if-none-match']);
    });

    for (const [disposition, name] of [
      ['attachment; filename="from server.csv"', 'from server.csv'],
      ['attachment; filename=plain.csv', 'plain.csv'],
      [`attachment; filename="x.csv"; filename*=UTF-8''f%C3%BCr%20alle.csv`, 'für alle.csv'],
      ['attachment; filename="../../etc/passwd"', 'a.csv'],
      ['attachment; filename="a\\\\b.csv"', 'a.csv'],
      [`attachment; filename*=UTF-8''bad%0Aname.csv`, 'a.csv'],
      ['attachment; filename=".."', 'a.csv'],
      ['inline', 'a.csv'],
    ] as const) {
      it(`as ${name} when the server names it by ${disposition}`, async () => {
        const headers = { 'content-disposition': disposition };
        const server = await serve(fileAnswer(() => ({ bytes: CONTENT, headers })));
        assert.equal((await look(await open(`${server.origin}/a.csv`))).name, name);
      });
    }

    it('where the server knows no HEAD, and where it answers HEAD with a length of 0', async () => {
      const refusing = await serve((request, response) => {
        if (request.method === 'HEAD') response.writeHead(405).end();
        else response.end('sku\n1\n');
      });
      assert.equal((await run(`${refusing.origin}/a.csv`)).toString(), 'sku\n1\n');
      const dynamic = await serve((request, response) => {
        response.writeHead(200, request.method === 'HEAD' ? { 'content-length': '0' } : {});
        response.end(request.method === 'HEAD' ? undefined : 'sku\n1\n');
      });
      assert.equal((await run(`${dynamic.origin}/a.csv`)).toString(), 'sku\n1\n');
    });

    it('only if its name matches the pattern', async () => {
      const server = await serve(fileAnswer(() => ({ bytes: CONTENT })));
      const folder = await open(`${server.origin}/a.csv`);
      assert.deepEqual((await folder.list({ pattern: '*.xml', limit: 1 }, never())).files, []);
      assert.equal((await folder.list({ pattern: 'a.*', limit: 1 }, never())).files.length, 1);
    });
  });

  describe('is logged in to', () => {
    for (const [auth, header, value] of [
      [{ type: 'basic', user: 'mérch' }, 'authorization', `Basic ${Buffer.from('mérch:pass:word').toString('base64')}`],
      [{ type: 'bearer' }, 'authorization', 'Bearer pass:word'],
      [{ type: 'header', name: 'X-Api-Key' }, 'x-api-key', 'pass:word'],
    ] as const) {
      it(`by ${auth.type}`, async () => {
        const server = await serve(fileAnswer(() => ({ bytes: CONTENT })));
        await run(`${server.origin}/a.csv`, { auth, secret: 'pass:word' });
        assert.deepEqual(
          server.requests.map(({ headers }) => headers[header]),
          [value, value],
        );
      });
    }

    it('only with a secret that a header can carry, in a header that is one', async () => {
      const url = 'https://shop.example/a.csv';
      await assertFails(open(url, { auth: { type: 'bearer' } }), 'REFUSED_LOGIN', /no secret/);
      await assertFails(open(url, { auth: { type: 'bearer' }, secret: 'a\r\nx: y' }), 'REFUSED_LOGIN');
      for (const name of ['Host', 'Content-Length', 'Range', 'a b', 'a:b', '']) {
        await assertFails(open(url, { auth: { type: 'header', name }, secret: 'x' }), 'NOT_ALLOWED');
      }
    });
  });

  describe('is not connected to', () => {
    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://0x7f.1/',
      'https://inside.example/',
      'https://half-inside.example/',
      'https://169.254.169.254/latest',
    ]) {
      it(`at ${url}, which is inside`, async () => {
        await assertFails(open(url, { guard: STRICT_GUARD }).then(look), 'NOT_ALLOWED');
      });
    }

    it('by a name that leads to another address the second time', async () => {
      const file = fileAnswer(() => ({ bytes: CONTENT, headers: { connection: 'close' } }));
      const server = await serve(file, OF_ANOTHER_HOST);
      const { guard, lookups } = rebindingGuard(['127.0.0.1']);
      const folder = await open(`https://other.example:${server.port}/a.csv`, { guard });
      const seen = await look(folder);
      const failure = folder.read(seen, LIMITS, never()).then(bytesOf);
      await assertFails(failure, 'NOT_ALLOWED', /127\.0\.0\.2/);
      assert.deepEqual([lookups(), server.requests.length], [2, 1]);
    });

    for (const url of [
      'http://shop.example/a.csv',
      'ftp://shop.example/',
      'https://user:secret@shop.example/',
      'https://shop.example:25/',
      'no address',
    ]) {
      it(`by ${url}`, async () => {
        const failure = await assertFails(open(url), 'NOT_ALLOWED');
        assert.ok(!failure.message.includes('secret'), failure.message);
      });
    }

    for (const [what, certificate, text] of [
      ['has expired', EXPIRED, /expired|another host/],
      ['is for another host', OF_ANOTHER_HOST, /another host/],
      ['is self-signed', SELF_SIGNED, /self-signed|authority/],
    ] as const) {
      it(`when the certificate ${what}`, async () => {
        const server = await serve(says('x'), certificate);
        const failure = await assertFails(run(`${server.origin}/a.csv`), 'UNREACHABLE', text);
        assert.equal(failure.isTransient, false);
        assert.deepEqual(server.requests, []);
      });
    }
  });

  describe('is followed', () => {
    it('to another server, which gets no credentials, nor when it leads back', async () => {
      const target = await serve((request, response) => {
        if (request.url === '/back') response.writeHead(302, { location: `${home.origin}/end.csv` }).end();
        else response.end('sku\n');
      });
      const home = await serve((request, response) => {
        if (request.url === '/a.csv') response.writeHead(302, { location: '/here' }).end();
        else if (request.url === '/here') response.writeHead(307, { location: `${target.origin}/back` }).end();
        else response.end('sku\n');
      });
      const auth = { type: 'header', name: 'x-api-key' } as const;
      assert.equal((await run(`${home.origin}/a.csv`, { auth, secret: 'key' })).toString(), 'sku\n');
      const keys = (server: HttpsServer) =>
        server.requests.slice(-2).map(({ path, headers }) => [path, headers['x-api-key']]);
      assert.deepEqual(keys(target).at(-1), ['/back', undefined]);
      assert.deepEqual(
        home.requests.slice(0, 3).map(({ path, headers }) => [path, headers['x-api-key']]),
        [
          ['/a.csv', 'key'],
          ['/here', 'key'],
          ['/end.csv', undefined],
        ],
      );
    });

    for (const location of [
      'https://10.0.0.1/a.csv',
      'https://inside.example/',
      'http://shop.example/a.csv',
      'file:///etc/passwd',
      'https://[::ffff:10.0.0.1]/',
    ]) {
      it(`not to ${location}`, async () => {
        const server = await serve(says('', { location }, 302));
        await assertFails(run(`${server.origin}/a.csv`), 'NOT_ALLOWED');
      });
    }

    it('five times at most, and not in a circle', async () => {
      const server = await serve(says('', { location: '/again' }, 301));
      await assertFails(run(`${server.origin}/a.csv`), 'NOT_SUPPORTED', /more than 5 times/);
      assert.equal(server.requests.length, 6);
    });
  });

  describe('is no file', () => {
    for (const [what, body, type] of [
      ['a page that says so', PAGE, 'text/html; charset=utf-8'],
      ['a page that says it is a CSV', PAGE, 'text/csv'],
      ['a page of a framework, without a doctype', '\ufeff \n<html lang="en">', 'application/octet-stream'],
      ['a page in XHTML', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', 'application/xhtml+xml'],
      ['a page in UTF-16', '\ufeff<!doctype html><p>', 'utf16'],
      ['a part of a page', '<div>Error</div>', 'text/html'],
    ] as const) {
      it(`when it is ${what}`, async () => {
        const bytes = type === 'utf16' ? Buffer.from(body, 'utf16le') : Buffer.from(body);
        const server = await serve(
          fileAnswer(() => ({ bytes, headers: { 'content-type': type === 'utf16' ? 'text/csv' : type } })),
        );
        await assertFails(run(`${server.origin}/a.csv`), 'NOT_A_FILE', /page in HTML/);
      });
    }

    it('when a login redirects to a page', async () => {
      const server = await serve((request, response) => {
        if (request.url === '/a.csv') response.writeHead(302, { location: '/login' }).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      });
      await assertFails(open(`${server.origin}/a.csv`).then(look), 'NOT_A_FILE');
    });

    it('but a CSV that the server calls a page, and an XML, are files', async () => {
      for (const text of ['sku,title\n1,<b>One</b>\n', '<?xml version="1.0"?><items/>']) {
        const server = await serve(says(text, { 'content-type': 'text/html' }));
        assert.equal((await run(`${server.origin}/a.csv`)).toString(), text);
      }
    });

    for (const [status, code, isTransient] of [
      [401, 'REFUSED_LOGIN', false],
      [403, 'NOT_ALLOWED', false],
      [404, 'NOT_FOUND', false],
      [410, 'NOT_FOUND', false],
      [429, 'UNREACHABLE', true],
      [500, 'UNREACHABLE', true],
      [503, 'UNREACHABLE', true],
      [204, 'NOT_SUPPORTED', false],
      [418, 'NOT_SUPPORTED', false],
    ] as const) {
      it(`when the server answers ${status}`, async () => {
        const server = await serve((_, response) => void response.writeHead(status).end());
        const failure = await assertFails(run(`${server.origin}/a.csv?token=hidden`), code, new RegExp(String(status)));
        assert.equal(failure.isTransient, isTransient);
        assert.ok(!failure.message.includes('hidden'));
      });
    }
  });

  describe('is read', () => {
    it('to its end, and an empty one, and one whose size is not said', async () => {
      for (const bytes of [CONTENT, Buffer.alloc(0)]) {
        const server = await serve(fileAnswer(() => ({ bytes })));
        assert.ok((await run(`${server.origin}/a.csv`)).equals(bytes));
      }
      const chunked = await serve((request, response) => {
        response.writeHead(200, { 'transfer-encoding': 'chunked' });
        response.end(request.method === 'HEAD' ? undefined : CONTENT);
      });
      assert.ok((await run(`${chunked.origin}/a.csv`)).equals(CONTENT));
    });

    it('unpacked when the server has packed it, though it was not asked to', async () => {
      const packed = gzipSync(CONTENT);
      const server = await serve(fileAnswer(() => ({ bytes: packed, headers: { 'content-encoding': 'gzip' } })));
      assert.ok((await run(`${server.origin}/a.csv`)).equals(CONTENT));
      assert.equal(server.requests[0]?.headers['accept-encoding'], 'identity');
    });

    it('as it is when its name ends in .gz, and it is said to be packed for its way as well', async () => {
      const packed = gzipSync(CONTENT);
      const bytesOf = async (bytes: Buffer) => {
        const server = await serve(fileAnswer(() => ({ bytes, headers: { 'content-encoding': 'x-gzip' } })));
        return run(`${server.origin}/a.csv.gz`);
      };
      assert.ok((await bytesOf(packed)).equals(packed), 'it is packed once');
      assert.ok((await bytesOf(gzipSync(packed))).equals(packed), 'it is packed twice');
      assert.equal((await bytesOf(Buffer.alloc(0))).length, 0);
      await assertFails(bytesOf(CONTENT), 'BROKEN_OFF', /unpacked/);
      const page = gzipSync('<!doctype html><p>Log in</p>');
      await assertFails(bytesOf(page), 'NOT_A_FILE', /page in HTML/);
    });

    it('not when it is packed in another way, or is damaged', async () => {
      const unknown = await serve(fileAnswer(() => ({ bytes: CONTENT, headers: { 'content-encoding': 'zstd' } })));
      await assertFails(run(`${unknown.origin}/a.csv`), 'NOT_SUPPORTED', /zstd/);
      const packed = gzipSync(CONTENT);
      const cut = await serve(
        fileAnswer(() => ({ bytes: packed.subarray(0, packed.length - 9), headers: { 'content-encoding': 'gzip' } })),
      );
      await assertFails(run(`${cut.origin}/a.csv`), 'BROKEN_OFF', /unpacked/);
      const plain = await serve(fileAnswer(() => ({ bytes: CONTENT, headers: { 'content-encoding': 'gzip' } })));
      await assertFails(run(`${plain.origin}/a.csv`), 'BROKEN_OFF', /unpacked/);
    });

    it('not when it is too large: by what is said, by what comes, and by what is unpacked', async () => {
      const said = await serve(fileAnswer(() => ({ bytes: CONTENT })));
      const tooLarge = async ({ origin }: HttpsServer) => {
        const folder = await open(`${origin}/a.csv`);
        await bytesOf(await folder.read(await look(folder), { maxBytes: 1_000_000 }, never()));
      };
      await assertFails(tooLarge(said), 'TOO_LARGE');
      const chunked = await serve((request, response) => {
        response.writeHead(200, { 'transfer-encoding': 'chunked' });
        response.end(request.method === 'HEAD' ? undefined : CONTENT);
      });
      await assertFails(tooLarge(chunked), 'TOO_LARGE');
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const packed = await serve(fileAnswer(() => ({ bytes: bomb, headers: { 'content-encoding': 'gzip' } })));
      await assertFails(tooLarge(packed), 'TOO_LARGE');
    });

    it('not when it was replaced since it was seen', async () => {
      let bytes = CONTENT;
      const server = await serve(fileAnswer(() => ({ bytes })));
      const folder = await open(`${server.origin}/a.csv`);
      const file = await look(folder);
      bytes = Buffer.from('another');
      await assertFails(folder.read(file, LIMITS, never()), 'CHANGED_WHILE_READ');
    });
  });

  describe('that is cut off', () => {
    /** Sends half of what is left and ends the connection, `times` times. @param answered by request: what is done for each GET */
    function cutting(
      times: number,
      answer: (request: Parameters<Answer>[0], response: ServerResponse, cut: (bytes: Buffer) => void) => void,
    ): Answer {
      let left = times;
      return (request, response) => {
        answer(request, response, (bytes) => {
          if (request.method === 'HEAD') response.end();
          else if (left-- > 0) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
          else response.end(bytes);
        });
      };
    }

    it('is resumed by a range on condition of the tag', async () => {
      const server = await serve(
        cutting(3, (request, response, cut) => {
          const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
          const range = from === 0 ? {} : { 'content-range': `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}` };
          response.writeHead(from === 0 ? 200 : 206, {
            etag: '"v1"',
            'content-length': CONTENT.length - from,
            ...range,
          });
          cut(CONTENT.subarray(from));
        }),
      );
      assert.ok((await run(`${server.origin}/a.csv`)).equals(CONTENT));
      const resumed = server.requests.filter(({ headers }) => headers.range !== undefined);
      assert.equal(resumed.length, 3);
      for (const { headers } of resumed) assert.equal(headers['if-match'], '"v1"');
    });

    it('is read from its beginning where the server knows no ranges, and nothing of it comes twice', async () => {
      const server = await serve(
        cutting(2, (_, response, cut) => {
          response.writeHead(200, { 'content-length': CONTENT.length });
          cut(CONTENT);
        }),
      );
      assert.ok((await run(`${server.origin}/a.csv`)).equals(CONTENT));
    });

    it('is not continued with another version, by the tag or by what has been read before', async () => {
      let version = 1;
      const tagged = await serve((request, response) => {
        if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== `"${version}"`) {
          response.writeHead(412).end();
          return;
        }
        response.writeHead(200, { etag: `"${version}"`, 'content-length': CONTENT.length });
        if (request.method === 'HEAD') response.end();
        else {
          version += 1;
          response.write(CONTENT.subarray(0, 1_000), () => response.destroy());
        }
      });
      await assertFails(run(`${tagged.origin}/a.csv`), 'CHANGED_WHILE_READ');
      let times = 0;
      const untagged = await serve(
        cutting(1, (request, response, cut) => {
          if (request.method === 'GET') times += 1;
          response.writeHead(200, { 'content-length': CONTENT.length });
          cut(times <= 1 ? CONTENT : Buffer.alloc(CONTENT.length, 'another'));
        }),
      );
      await assertFails(run(`${untagged.origin}/a.csv`), 'CHANGED_WHILE_READ');
    });

    it('again and again is left, and so is one that ends before the length that was said', async () => {
      const cut = await serve((request, response) => {
        response.writeHead(200, { 'content-length': CONTENT.length });
        if (request.method === 'HEAD') response.end();
        else response.write(CONTENT.subarray(0, 1_000), () => response.destroy());
      });
      await assertFails(run(`${cut.origin}/a.csv`), 'BROKEN_OFF');
      assert.equal(cut.requests.length, 5);
    });

    it('by a server that sends another part than it was asked for is left', async () => {
      let gets = 0;
      const server = await serve((request, response) => {
        if (request.method === 'GET') gets += 1;
        const isFirst = gets <= 1;
        const range = isFirst ? {} : { 'content-range': `bytes 7-${CONTENT.length - 1}/${CONTENT.length}` };
        response.writeHead(isFirst ? 200 : 206, { etag: '"v1"', ...range });
        if (request.method === 'HEAD') response.end();
        else response.write(CONTENT.subarray(0, 1_000), () => response.destroy());
      });
      await assertFails(run(`${server.origin}/a.csv`), 'NOT_SUPPORTED', /another part/);
    });
  });

  describe('that is silent', () => {
    it('before its answer is not waited for', async () => {
      const server = await serve(() => undefined);
      await assertFails(run(`${server.origin}/a.csv`, { idleMs: IMPATIENT_MS }), 'TIMED_OUT', /within 0.4 s/);
    });

    it('in the middle of the file is not waited for', async () => {
      const server = await serve((request, response) => {
        response.writeHead(200, { 'content-length': CONTENT.length });
        if (request.method === 'HEAD') response.end();
        else response.write(CONTENT.subarray(0, 1_000));
      });
      await assertFails(run(`${server.origin}/a.csv`, { idleMs: IMPATIENT_MS }), 'TIMED_OUT');
    });

    it('but for a byte now and then is left when it is too slow on the whole', async () => {
      const server = await serve((request, response) => {
        response.writeHead(200, { 'transfer-encoding': 'chunked' });
        if (request.method === 'HEAD') {
          response.end();
          return;
        }
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
        response.write('x'.repeat(2_000));
      });
      await assertFails(run(`${server.origin}/a.csv`, { idleMs: 200 }), 'TIMED_OUT', /too slowly/);
    });

    it('ends with the signal', async () => {
      const server = await serve(() => undefined);
      const folder = await open(`${server.origin}/a.csv`);
      const aborter = new AbortController();
      const listing = folder.list(ALL, aborter.signal);
      aborter.abort(new Error('the worker stops'));
      await assert.rejects(listing, /the worker stops/);
    });

    it('once, is read in the next run', async () => {
      let isSilent = true;
      const good = fileAnswer(() => ({ bytes: CONTENT }));
      const server = await serve((request, response) => void (isSilent || good(request, response)));
      await assertFails(run(`${server.origin}/a.csv`, { idleMs: IMPATIENT_MS }), 'TIMED_OUT');
      isSilent = false;
      assert.ok((await run(`${server.origin}/a.csv`)).equals(CONTENT));
    });
  });

  it('is neither moved, nor removed, nor written', async () => {
    const folder = await open('https://shop.example/a.csv');
    await assertFails(folder.move('a.csv', 'done', never()), 'NOT_SUPPORTED', /"leave"/);
    await assertFails(folder.remove('a.csv', never()), 'NOT_SUPPORTED');
  });
});
