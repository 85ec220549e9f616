import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { oneAtATime } from '../../../../src/api/limits/one-at-a-time.js';
import { until } from '../../../support/until.js';

const WITHIN_MS = 10_000;

describe('requests of one connection that do not wait for answers', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let onBegin: () => void;
  let begun: { request: IncomingMessage; response: ServerResponse }[];

  beforeEach(async () => {
    begun = [];
    received = '';
    onBegin = () => undefined;
    server = createServer((request, response) => {
      begun.push({ request, response });
      onBegin();
    });
    oneAtATime(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    await once(client, 'connect');
  });
  afterEach(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });

  const get = (path: number) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const several = (from: number, count: number) => Array.from({ length: count }, (_, nth) => get(from + nth)).join('');
  const begunPaths = () => begun.map(({ request }) => request.url);
  const hear = () => client.setEncoding('utf8').on('data', (text: string) => (received += text));
  const haveBegun = (count: number) => until(`${count} have begun`, async () => begun.length === count, WITHIN_MS);

  it('begin one after another, in their order, and are all answered', async () => {
    hear();
    client.write(several(0, 20));
    for (let number = 0; number < 20; number++) {
      await haveBegun(number + 1);
      begun[number]?.response.end(`answer ${number};`);
    }
    await until('all are answered', async () => received.includes('answer 19;'), WITHIN_MS);
    assert.deepEqual(
      begunPaths(),
      Array.from({ length: 20 }, (_, number) => `/${number}`),
    );
    const answers = [...received.matchAll(/answer (\d+);/g)].map(([, number]) => Number(number));
    assert.deepEqual(
      answers,
      Array.from({ length: 20 }, (_, number) => number),
    );
  });

  it('go on with bodies, and with what was not read while they waited', async () => {
    hear();
    const post = 'POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello';
    client.write(get(0) + post);
    await haveBegun(1);
    client.write(get(2));
    begun[0]?.response.end('a');
    await haveBegun(2);
    let body = '';
    for await (const chunk of begun[1]?.request ?? []) body += chunk;
    assert.equal(body, 'hello');
    begun[1]?.response.end('b');
    await haveBegun(3);
    begun[2]?.response.end('c');
  });

  it('are parsed a few at a time, and all are answered however many they are', async () => {
    const count = 1_500;
    hear();
    let parsed = 0;
    server.prependListener('request', () => {
      parsed += 1;
    });
    onBegin = () => {
      const { length } = begun;
      // Nothing is answered meanwhile: what could come to be parsed now is.
      setTimeout(() => {
        assert.ok(parsed <= length + 64, `${parsed} are parsed, ${length} have begun`);
        begun[length - 1]?.response.end(`answer ${length - 1};`);
      }, 1);
    };
    client.write(several(0, count));
    await until('all are answered', async () => received.includes(`answer ${count - 1};`), WITHIN_MS);
  });

  it('are dropped with their connection', async () => {
    client.write(several(0, 10));
    await haveBegun(1);
    client.resetAndDestroy();
    begun[0]?.response.end('a');
    await once(begun[0]?.response ?? server, 'close');
    server.close();
    await once(server, 'close');
    assert.deepEqual(begunPaths(), ['/0']);
  });

  it('are not begun behind an answer that closes the connection', async () => {
    hear();
    client.write(several(0, 3));
    await haveBegun(1);
    begun[0]?.response.setHeader('Connection', 'close').end('last');
    await once(client, 'close');
    assert.deepEqual(begunPaths(), ['/0']);
    assert.match(received, /last$/);
  });
});
