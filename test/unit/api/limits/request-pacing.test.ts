import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createPacing } from '../../../../src/api/limits/request-pacing.js';

describe('requests that arrive at the same moment', () => {
  let begun: string[];
  let send: (address: string, count: number) => readonly ServerResponse[];
  beforeEach(() => {
    begun = [];
    const pacing = createPacing({ of: ({ headers }) => headers.from ?? null, ofConnection });
    const listener = pacing.ofRequests(({ headers }) => begun.push(headers.from ?? ''));
    send = (address, count) =>
      Array.from({ length: count }, () => {
        const request = new IncomingMessage(new Socket());
        request.headers.from = address;
        const response = new ServerResponse(request);
        listener(request, response);
        return response;
      });
  });

  it('begin at once when they are few', () => {
    send('a', 4);
    assert.equal(begun.length, 4);
  });

  it('begin four in each turn of the event loop, all of them', async () => {
    send('a', 10);
    assert.equal(begun.length, 4);
    await turn();
    assert.equal(begun.length, 8);
    await turn();
    assert.equal(begun.length, 10);
    await turn();
    send('a', 4);
    assert.equal(begun.length, 14, 'the next ones begin at once again');
  });

  it('are forgotten when their connections close, and take no turns', async () => {
    const responses = send('a', 12);
    for (const response of responses.slice(4, 10)) response.emit('close');
    await turn();
    assert.equal(begun.length, 6, 'the two that are left begin in the next turn');
    for (const response of responses) response.emit('close');
    await turn();
    assert.equal(begun.length, 6);
  });

  it('of several addresses begin one in each turn, in rounds of the addresses', async () => {
    send('a', 100);
    send('b', 2);
    assert.equal(begun.length, 4, 'until then there was one address');
    for (let turns = 1; turns <= 4; turns++) {
      await turn();
      assert.equal(begun.length, 4 + turns);
    }
    assert.equal(begun.filter((address) => address === 'b').length, 2);
  });
});

describe('connections that are opened at the same moment', () => {
  it('begin eight in each turn of the event loop, and what they send is read only then', async () => {
    const server = createServer((_, response) => response.end('answered'));
    const begun: Socket[] = [];
    server.on('connection', (socket: Socket) => begun.push(socket));
    createPacing({ of, ofConnection }).ofConnections(server);
    const accepted: Socket[] = [];
    server.on('connection', (socket: Socket) => accepted.push(socket));
    const clients = await connectMany(server, 40, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answers = clients.map(async (client) => {
      let text = '';
      for await (const chunk of client) text += chunk;
      return text;
    });
    let most = 0;
    for (let last = 0; begun.length < clients.length; last = begun.length) {
      for (const socket of accepted.slice(begun.length))
        assert.equal(socket.bytesRead, 0, 'one that waits is not read');
      await turn();
      most = Math.max(most, begun.length - last);
    }
    for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1.1 200 OK/);
    assert.ok(most <= 16, `${most} began between two looks`);
    server.close();
  });

  it('do not begin when another listener has refused them', async () => {
    const server = createServer((_, response) => response.end());
    let begun = 0;
    server.on('connection', () => begun++);
    createPacing({ of, ofConnection }).ofConnections(server);
    for (let number = 0; number < 9; number++) server.emit('connection', new Socket());
    const refused = new Socket();
    server.emit('connection', refused);
    refused.destroy();
    await turn();
    await turn();
    assert.equal(begun, 9);
  });

  describe('while clients of other addresses send requests', () => {
    /**
     * Opens connections.
     * @returns how many began at once, in how many turns of the event loop some began, which was the last, and how long it
     * took until all had begun, in ms
     */
    async function connectFrom(addresses: readonly (string | undefined)[]) {
      const pacing = createPacing({ of: ({ headers }) => headers.from ?? null, ofConnection });
      const receive = pacing.ofRequests(() => undefined);
      for (const from of ['x', 'y']) {
        const request = Object.assign(new IncomingMessage(new Socket()), { headers: { from } });
        receive(request, new ServerResponse(request));
      }
      const server = createServer();
      const begun: number[] = [];
      let now = 0;
      server.on('connection', () => begun.push(now));
      pacing.ofConnections(server);
      const startedAt = performance.now();
      for (const address of addresses) server.emit('connection', socketFrom(address));
      const atOnce = begun.length;
      for (; begun.length < addresses.length; now++) await turn();
      return { atOnce, last: now, turns: new Set(begun).size, took: performance.now() - startedAt };
    }

    it('begin one in each millisecond for an address', async () => {
      const { atOnce, turns, took } = await connectFrom(Array<string>(48).fill('a'));
      assert.equal(atOnce, 8);
      // The first slow turn may come before the first turn that is counted.
      assert.ok(turns >= 40, `some began in ${turns} turns`);
      assert.ok(took >= 39, `all have begun after ${took} ms`);
    });

    it('begin eight at the same time for many addresses', async () => {
      const names = Array.from({ length: 20 }, (_, number) => `${number}`);
      const { turns } = await connectFrom([...names, ...names]);
      assert.ok(turns <= 5, `some began in ${turns} turns`);
    });

    it('begin two in each turn of the event loop where the address is that of a proxy', async () => {
      const { atOnce, last } = await connectFrom(Array<undefined>(48).fill(undefined));
      assert.equal(atOnce, 2);
      assert.ok(last <= 25, `the last one began in turn ${last}`);
    });
  });

  it('end eight in each turn of the event loop when all clients hang up, each after what it had sent', async () => {
    const ends: string[] = [];
    let received = 0;
    const pacing = createPacing({ of, ofConnection });
    const server = createServer(
      pacing.ofRequests((request) => {
        request.on('data', () => received++);
        request.on('error', () => ends.push('failed'));
      }),
    );
    server.on('connection', (socket: Socket) => socket.on('close', () => ends.push('closed')));
    pacing.ofConnections(server);
    const clients = await connectMany(server, 100, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1');
    while (received < clients.length) await turn();
    for (const client of clients) client.resetAndDestroy();
    let most = 0;
    for (let last = 0; ends.filter((end) => end === 'closed').length < clients.length; last = ends.length) {
      await turn();
      most = Math.max(most, ends.length - last);
    }
    while (ends.length < 2 * clients.length) await turn();
    assert.equal(ends.filter((end) => end === 'failed').length, clients.length, 'each request has failed');
    // Each of them is closed, and fails the request: two turns may be between two looks.
    assert.ok(most <= 32, `${most} ended between two looks`);
    server.close();
  });

  it('end at once when no request of them is in progress', async () => {
    const { ofRequests, ofConnections } = createPacing({ of, ofConnection });
    const server = createServer(ofRequests((_, response) => response.end()));
    let closed = 0;
    server.on('connection', (socket: Socket) => socket.on('close', () => closed++));
    ofConnections(server);
    const accepted: Socket[] = [];
    server.on('connection', (socket: Socket) => accepted.push(socket));
    const clients = await connectMany(server, 40, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all(clients.map((client) => once(client, 'data')));
    for (const socket of accepted) socket.destroy();
    while (accepted.some((socket) => !socket.closed)) await turn();
    // The event follows at the end of the same turn of the event loop.
    await turn();
    await turn();
    assert.equal(closed, accepted.length);
    server.close();
  });
});

/** Has a server listen, and opens so many connections to it that each send something. */
async function connectMany(server: Server, count: number, sent: string): Promise<Socket[]> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Array.from({ length: count }, () => {
    const client = connect(port, '127.0.0.1');
    client.write(sent);
    return client;
  });
}

const of = () => null;
const ofConnection = ({ remoteAddress }: Socket) => remoteAddress ?? null;

function socketFrom(address: string | undefined): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
}
