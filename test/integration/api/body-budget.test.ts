import assert from 'node:assert/strict';
import { once } from 'node:events';
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

  const bulk = (bytes: number, as: Record<string, string> = api.headers()) =>
    api.fetch('/api-product/toy/bulk', {
      method: 'POST',
      headers: { ...as, 'content-type': 'application/json' },
      body: Buffer.alloc(bytes, 0x20),
    });
  /** A request that has announced its body and waits. */
  const announce = (headers: string, body: string | Buffer = '', as = api.headers(), route = 'bulk') => {
    const own = Object.entries(as).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api-product/toy/${route} HTTP/1.1\r\nHost: x\r\n${own.join('')}content-type: application/json\r\n${headers}\r\n\r\n`;
    const connection = openRaw(api.url, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
    open.push(connection);
    return connection;
  };

  /** A request whose body stops one byte before its end. */
  const almost = (bytes: number, as: Record<string, string> = api.headers()) => {
    const connection = announce(`Content-Length: ${bytes}`, '', as);
    connection.socket.write(Buffer.alloc(bytes - 1, 0x20));
    return connection;
  };

  /**
   * A request whose bytes have come: there is no room for `probe` bytes beside them. A probe that is on its way at the same
   * moment may have taken the room; then the request is sent again.
   */
  async function held(send: () => RawConnection, probe: number): Promise<RawConnection> {
    let holder = send();
    let refused = false;
    const watch = () => {
      refused = false;
      void holder.ended.then(() => {
        refused = true;
      });
    };
    watch();
    await until(
      'the bytes are held',
      async () => {
        // One that is sent while the bytes are on their way takes their room each time, on a busy machine.
        if (!refused && holder.socket.writableLength > 0) return false;
        if ((await bulk(probe)).status === 503 && !refused) return true;
        if (refused) {
          holder = send();
          watch();
        }
        return false;
      },
      20_000,
    );
    return holder;
  }

  it('are not reserved by an announcement: idle sockets of one tenant leave all room to another', async () => {
    for (let index = 0; index < 20; index++) announce(`Content-Length: ${32 * MEBIBYTE}`);
    await Promise.all(open.map(({ socket }) => once(socket, 'connect')));
    const other = await api.newAccount();
    for (const bytes of [10, 8 * MEBIBYTE]) assert.equal((await bulk(bytes, api.headers(other))).status, 200);
  });

  it('are refused with 503 and Retry-After beyond the budget, to the holder of most of them', async () => {
    const holder = await held(() => almost(6 * MEBIBYTE), 3 * MEBIBYTE);
    assert.equal((await bulk(MEBIBYTE)).status, 200);

    const other = await api.newAccount();
    assert.equal((await bulk(4 * MEBIBYTE, api.headers(other))).status, 200, 'the other tenant is served');
    const text = await holder.received(/BODY_BUDGET_SPENT/);
    assert.match(text, /^HTTP\/1.1 503/);
    assert.match(text, /retry-after: [1-9]/i);
  });

  it('are given back by a client that goes away', async () => {
    const holder = await held(() => almost(8 * MEBIBYTE), MEBIBYTE);
    holder.socket.destroy();
    await until('the bytes are free', async () => (await bulk(8 * MEBIBYTE)).status === 200, 20_000);
  });

  it('are counted as they come, when no length was told', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MEBIBYTE, 0x20), Buffer.from('\r\n')]);
    const six = Buffer.concat(Array.from({ length: 6 }, () => chunk));
    const holder = await held(() => announce('Transfer-Encoding: chunked', six), 3 * MEBIBYTE);
    holder.socket.write(Buffer.concat([chunk, chunk, chunk]));
    assert.match(await holder.received(/\r\n\r\n/), /^HTTP\/1.1 503/);
  });

  it('are as few as have come: a hundred small requests without a length are all answered', async () => {
    const small = '13\r\n{"text":"fourteen"}\r\n0\r\n\r\n';
    const requests = Array.from({ length: 100 }, () =>
      announce('Transfer-Encoding: chunked\r\nConnection: close', small, api.headers(), 'echo'),
    );
    const answers = await Promise.all(requests.map(({ ended }) => ended));
    assert.deepEqual([...new Set(answers.map((text) => text.slice(0, 12)))], ['HTTP/1.1 200']);
  });

  it('of clients without a token have a budget of their own', async () => {
    const form = 'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';
    for (let index = 0; index < 200; index++) {
      const stalled = `${form}Transfer-Encoding: chunked\r\n\r\n3000\r\n${'a'.repeat(0x2fff)}`;
      open.push(openRaw(api.url, stalled));
    }
    await Promise.all(open.map(({ socket }) => once(socket, 'connect')));
    assert.equal((await bulk(8 * MEBIBYTE)).status, 200);
  });

  it('never exceed the limit of one request, whatever the budget: 413 at once', async () => {
    const text = await announce(`Content-Length: ${33 * MEBIBYTE}`).received(/PAYLOAD_TOO_LARGE/);
    assert.match(text, /^HTTP\/1.1 413/);
  });

  it('let a client that is refused finish sending, so that it sees the answer', async () => {
    assert.equal((await bulk(20 * MEBIBYTE)).status, 503);
  });

  it('leave small requests of others alone when bodies that have arrived use up the budget', async () => {
    const held = await api.fetch('/api-product/toy/bulk', {
      method: 'POST',
      headers: { ...api.headers(), 'content-type': 'application/json' },
      body: Buffer.alloc(8 * MEBIBYTE, 0x20),
    });
    assert.equal(held.status, 200);
    almost(6 * MEBIBYTE);
    const other = await api.newAccount();
    const small = await api.fetch('/api-product/toy/echo', {
      method: 'POST',
      headers: { ...api.headers(other), 'content-type': 'application/json' },
      body: '{"text":"a"}',
    });
    assert.equal(small.status, 200);
  });
});
