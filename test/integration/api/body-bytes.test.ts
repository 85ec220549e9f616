import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { readBodyBytes } from '../../../src/api/body-bytes.js';
import { createBodyBudget } from '../../../src/api/limits/body-budget.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import { openRaw } from '../../support/http/raw-http.js';

describe('a large body', () => {
  const budget = createBodyBudget(1_000);
  let server: RunningServer;
  let outcome: Promise<string>;
  let tell: (text: string) => void;
  let readAfter: (request: IncomingMessage) => Promise<unknown>;
  before(async () => {
    server = await startServer(
      (request, response) => {
        readAfter(request)
          .then(() => readBodyBytes(request, budget, { holder: 'a', maxBytes: 100, deadlineMs: 50 }))
          .then(
            ({ bytes, lease }) => {
              lease.release();
              return `read ${bytes.length}`;
            },
            (error: Error & { status?: number }) => `${error.name} ${error.status ?? ''}`.trim(),
          )
          .then((text) => {
            response.end(text);
            tell(text);
          });
      },
      { host: '127.0.0.1', port: 0 },
    );
  });
  after(() => server.stop(0));
  beforeEach(() => {
    readAfter = () => Promise.resolve();
    outcome = new Promise((resolve) => {
      tell = resolve;
    });
  });
  afterEach(() => assert.equal(budget.usedBytes(), 0));

  const send = (head: string, body = '') => openRaw(server.url, `POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n${body}`);

  it('that stops halfway is given up after its time', async () => {
    const { socket } = send('Content-Length: 10', 'half');
    assert.equal(await outcome, 'HttpProblem 408');
    socket.destroy();
  });

  it('that does not end is given up after its time, compressed or not', async () => {
    const { socket } = send('Transfer-Encoding: chunked\r\nContent-Encoding: gzip', '1\r\n\u001f\r\n');
    assert.equal(await outcome, 'HttpProblem 408');
    socket.destroy();
  });

  it('whose client leaves is nobody’s error', async () => {
    const { socket } = send('Content-Length: 10', 'half');
    socket.end();
    assert.equal(await outcome, 'ClientGone');
  });

  for (const [what, body] of [
    ['halfway', 'half'],
    ['after its last byte', 'all of it.'],
  ] as const) {
    it(`whose client left ${what}, before anyone read it, is nobody’s error`, async () => {
      readAfter = (request) => {
        socket.resetAndDestroy();
        return once(request, 'close').catch(() => undefined);
      };
      const { socket } = send('Content-Length: 10', body);
      assert.equal(await outcome, 'ClientGone');
    });
  }

  it('is read to its last byte', async () => {
    const { socket } = send('Content-Length: 100', 'x'.repeat(100));
    assert.equal(await outcome, 'read 100');
    socket.destroy();
  });

  it('that grows beyond its limit is refused with 413', async () => {
    const { socket } = send('Transfer-Encoding: chunked', `65\r\n${'x'.repeat(101)}\r\n`);
    assert.equal(await outcome, 'HttpProblem 413');
    socket.destroy();
  });
});

describe('a body that arrives byte by byte', () => {
  it('is refused with 408 once it is slower than the minimum rate: a byte does not renew the time', async () => {
    const budget = createBodyBudget(1_000);
    const server = await startServer(
      (request, response) => {
        readBodyBytes(request, budget, { holder: 'a', maxBytes: 1_000_000, slowStartMs: 50 }).then(
          () => response.end('read'),
          (error: Error & { status?: number }) => response.end(`${error.status} ${error.message}`),
        );
      },
      { host: '127.0.0.1', port: 0 },
    );
    const slow = openRaw(server.url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx');
    const byteByByte = setInterval(() => slow.socket.write('x'), 10);
    assert.match(await slow.received(/408 the body/), /too slowly/);
    assert.equal(budget.usedBytes(), 0);
    clearInterval(byteByByte);
    slow.socket.destroy();
    await server.stop(0);
  });
});

describe('the server', () => {
  it('says in one sentence why it cannot listen', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await assert.rejects(
      startServer(() => undefined, { host: '127.0.0.1', port }),
      /is in use by another process/,
    );
    await assert.rejects(
      startServer(() => undefined, { host: '203.0.113.1', port: 0 }),
      /is not an address of this machine/,
    );
    other.close();
  });
});
