/**
 * The API behind nginx and HAProxy, by the files under deploy/proxy: what comes through, as whose, and what does not. One
 * client is 127.0.0.2, another one 127.0.0.3; the proxy calls web from 127.0.0.1.
 */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { AUTHORITY } from '../support/faults/certificates.js';
import { until } from '../support/until.js';
import { startTestApi, type TestApi } from '../support/worlds/test-api.js';
import {
  FEWER_CONNECTIONS,
  HEADERS_WITHIN_MS,
  PROXIES,
  skipWithoutProxy,
  startTestProxy,
  type TestProxy,
} from '../support/worlds/test-proxy.js';

const CLIENT = '127.0.0.2';
const ANOTHER = '127.0.0.3';
const MIB = 1_048_576;

for (const name of PROXIES) {
  describe(`behind ${name}`, function () {
    this.timeout(120_000);
    let api: TestApi;
    let proxy: TestProxy;
    /** What arrives at web: requests, and connections. */
    const requests: IncomingMessage[] = [];
    const connections: Socket[] = [];
    const noticeRequest = (message: unknown) => requests.push((message as { request: IncomingMessage }).request);
    const noticeConnection = (message: unknown) => connections.push((message as { socket: Socket }).socket);

    before(async function () {
      skipWithoutProxy(this, name);
      subscribe('http.server.request.start', noticeRequest);
      subscribe('net.server.socket', noticeConnection);
      api = await startTestApi({ files: 'in a folder', environment: { TRUSTED_PROXIES: '127.0.0.1/32' } });
      proxy = await startTestProxy(name, new URL(api.url).host);
      await until('web is found', async () => (await ask(ANOTHER, 'GET', '/readyz')).status !== 503, 30_000);
    });
    after(async () => {
      unsubscribe('http.server.request.start', noticeRequest);
      unsubscribe('net.server.socket', noticeConnection);
      await proxy?.stop();
      await api?.stop();
    });
    beforeEach(() => {
      requests.length = 0;
      connections.length = 0;
    });

    const from = (address: string) => ({ host: '127.0.0.1', port: proxy.port, localAddress: address, ca: AUTHORITY });

    /** Sends one request on a connection of its own. */
    async function ask(address: string, method: string, path: string, body = ''): Promise<Answer> {
      const headers = { ...api.headers(), 'content-type': 'application/json' };
      const asked = request({ ...from(address), agent: false, method, path, headers });
      asked.end(body);
      return answerOf((await once(asked, 'response'))[0]);
    }

    it('a request is that of the client, who has come by TLS', async () => {
      const { status, headers } = await ask(CLIENT, 'GET', '/api-category/v1/category?limit=1');
      assert.equal(status, 200);
      assert.match(headers['strict-transport-security'] ?? '', /max-age/);
      const [arrived] = requests.filter(({ url }) => url?.startsWith('/api-category'));
      assert.ok(arrived !== undefined);
      assert.deepEqual([api.services.addresses.of(arrived), api.services.addresses.isSecure(arrived)], [CLIENT, true]);
    });

    it('an address that the client has made up is not believed', async () => {
      const headers = { ...api.headers(), 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' };
      const asked = request({ ...from(CLIENT), agent: false, path: '/api-category/v1/category', headers }).end();
      assert.equal((await answerOf((await once(asked, 'response'))[0])).status, 200);
      const [arrived] = requests.filter(({ url }) => url?.startsWith('/api-category'));
      assert.ok(arrived !== undefined);
      assert.deepEqual([api.services.addresses.of(arrived), api.services.addresses.isSecure(arrived)], [CLIENT, true]);
    });

    it('an upload is passed on as it arrives, and is kept whole', async () => {
      const announced = await ask(CLIENT, 'POST', '/files/product', '{"fileName":"a.csv","fileType":"ITEM_IMPORT"}');
      assert.equal(announced.status, 200, announced.text);
      const { id, location } = JSON.parse(announced.text);
      const { pathname, search } = new URL(location);
      const put = request({ ...from(CLIENT), agent: false, method: 'PUT', path: pathname + search });
      const answered = once(put, 'response');
      const row = `${'x'.repeat(1_023)}\n`;
      put.write(row.repeat(1_024));
      await until('web reads the upload', () => requests.some(({ method }) => method === 'PUT'), 30_000);
      for (let nth = 1; nth < 5; nth++) put.write(row.repeat(1_024));
      put.end();
      const { status, text } = await answerOf((await answered)[0]);
      assert.ok(status < 300, text);
      const { bytes } = (await api.db('file').where({ id }).first('bytes')) ?? {};
      assert.equal(Number(bytes), 5 * MIB);
    });

    it('half requests do not reach web, and end', async () => {
      const sockets = Array.from({ length: FEWER_CONNECTIONS }, () => connect(from(CLIENT)));
      const closed = Promise.all(sockets.map(closeOf));
      for (const socket of sockets)
        socket.resume().write('GET /api-category/v1/category HTTP/1.1\r\nHost: a\r\nX-Half: ');
      await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')));
      assert.equal((await ask(ANOTHER, 'GET', '/api-category/v1/category?limit=1')).status, 200);
      const begun = performance.now();
      await closed;
      assert.ok(performance.now() - begun < 10 * HEADERS_WITHIN_MS);
      const ofClients = requests.filter(({ url }) => url?.startsWith('/api-category'));
      assert.deepEqual(
        ofClients.map(({ url }) => url),
        ['/api-category/v1/category?limit=1'],
      );
      assert.ok(connections.length < FEWER_CONNECTIONS, `${connections.length} connections to web`);
    });

    it('one address has so many requests in progress, and another one is served beside them', async () => {
      const sockets = Array.from({ length: FEWER_CONNECTIONS + 10 }, () => connect(from(CLIENT)));
      const texts = sockets.map(() => '');
      for (const [nth, socket] of sockets.entries()) {
        socket
          .on('error', () => undefined)
          .on('data', (part) => {
            texts[nth] += part.toString();
          });
        socket.write(headOf(api.headers()));
      }
      await until('one is refused', () => texts.some((text) => text.startsWith('HTTP/1.1 429')), 30_000);
      const begun = () => requests.filter(({ url }) => url === '/api/v2/event').length;
      assert.ok(begun() <= FEWER_CONNECTIONS, `${begun()} requests are in progress`);
      assert.equal((await ask(ANOTHER, 'GET', '/api-category/v1/category?limit=1')).status, 200);
      await endAll(sockets);
      await until(
        'the client is served again',
        async () => (await ask(CLIENT, 'GET', '/api-category/v1/category?limit=1')).status === 200,
        30_000,
      );
    });
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** A request whose body does not come. */
function headOf(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host: 'a', ...headers, 'content-type': 'application/json', 'content-length': '100' });
  return `POST /api/v2/event HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Resolves when it has closed, by a reset as well. */
function closeOf(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
  });
}

async function endAll(sockets: readonly TLSSocket[]): Promise<void> {
  const open = sockets.filter(({ closed }) => !closed);
  await Promise.all(open.map((socket) => closeOf(socket.destroy())));
}
