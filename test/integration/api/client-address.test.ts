import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createClientAddresses } from '../../../src/api/client-address.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import { createLogger } from '../../../src/platform/logger.js';
import { askRaw, openRaw } from '../../support/http/raw-http.js';

describe('the address of a client', () => {
  const logger = createLogger('test', 'silent');
  const servers: RunningServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop(0);
  });

  /** A server that answers the address of each request. */
  async function serve(trustedProxies: readonly string[] | undefined, connectionsPerAddress = 100): Promise<string> {
    const addresses = createClientAddresses({ trustedProxies, connectionsPerAddress }, logger);
    const answer = (request: IncomingMessage): string => String(addresses.of(request));
    const server = await startServer((request, response) => response.end(answer(request)), {
      host: '127.0.0.1',
      port: 0,
      addresses,
    });
    servers.push(server);
    return server.url;
  }
  const ask = async (url: string, forwarded = '') => {
    const header = forwarded === '' ? '' : `X-Forwarded-For: ${forwarded}\r\n`;
    return (await askRaw(url, `GET / HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`)).body;
  };

  it('is that of the connection where nothing stands in between', async () => {
    assert.match(await ask(await serve(undefined)), /127\.0\.0\.1/);
  });

  it('is unknown from the first request on that an unknown proxy forwards', async () => {
    const url = await serve(undefined);
    assert.match(await ask(url, '203.0.113.5'), /null/);
    assert.match(await ask(url), /null/);
  });

  it('is the last one that a trusted proxy has not appended itself', async () => {
    const url = await serve(['127.0.0.0/8', '10.0.0.0/8']);
    assert.match(await ask(url, '198.51.100.1, 203.0.113.5, 10.1.2.3'), /203\.0\.113\.5/);
    assert.match(await ask(url, '2001:db8::1'), /20010db800000000\/64/);
  });

  it('is not what a client claims, when the proxies are known', async () => {
    assert.match(await ask(await serve([]), '203.0.113.5'), /127\.0\.0\.1/);
  });

  it('is unknown for a connection that a proxy has opened, or may have opened', async () => {
    const connection = Object.defineProperty(new Socket(), 'remoteAddress', { value: '::ffff:10.1.2.3' });
    const trusting = (trustedProxies: readonly string[] | undefined) =>
      createClientAddresses({ trustedProxies, connectionsPerAddress: 1 }, logger);
    assert.equal(trusting(['10.0.0.0/8']).ofConnection(connection), null);
    assert.equal(trusting([]).ofConnection(connection), '10.1.2.3');
    const addresses = trusting(undefined);
    assert.equal(addresses.ofConnection(connection), '10.1.2.3');
    const forwarded = new IncomingMessage(connection);
    forwarded.headers['x-forwarded-for'] = '203.0.113.5';
    addresses.of(forwarded);
    assert.equal(addresses.ofConnection(connection), null);
  });

  it('limits the connections: 429 beyond the limit, until one is closed', async () => {
    const url = await serve([], 2);
    const held = [openRaw(url, ''), openRaw(url, '')];
    await Promise.all(held.map(({ socket }) => once(socket, 'connect')));
    const refused = await openRaw(url, '').ended;
    assert.match(refused, /^HTTP\/1.1 429 .*\r\nRetry-After: 5/);
    const freed = once(held[0]?.socket ?? createServer(), 'close');
    held[0]?.socket.destroy();
    await freed;
    for (;;) if (/127/.test(await ask(url))) break;
    held[1]?.socket.destroy();
  });

  it('limits no connections behind a proxy, trusted or unknown', async () => {
    const trusted = await serve(['127.0.0.1/32'], 1);
    const unknown = await serve(undefined, 1);
    assert.match(await ask(unknown, '203.0.113.5'), /null/);
    for (const url of [trusted, unknown]) {
      const held = openRaw(url, '');
      await once(held.socket, 'connect');
      assert.match(await ask(url), /null|127/);
      held.socket.destroy();
    }
  });
});
