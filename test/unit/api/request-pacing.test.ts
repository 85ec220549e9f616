import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { paceConnections, paceRequests } from '../../../src/api/request-pacing.js';

describe('requests that arrive at the same moment', () => {
  let begun: string[];
  let send: (address: string, count: number) => void;
  beforeEach(() => {
    begun = [];
    const listener = paceRequests(
      ({ headers }) => begun.push(headers.from ?? ''),
      ({ headers }) => headers.from ?? null,
    );
    send = (address, count) => {
      for (let number = 0; number < count; number++) {
        const request = new IncomingMessage(new Socket());
        request.headers.from = address;
        listener(request, new ServerResponse(request));
      }
    };
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
    paceConnections(server);
    const accepted: Socket[] = [];
    server.on('connection', (socket: Socket) => accepted.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sent = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const clients = Array.from({ length: 40 }, () => {
      const client = connect(port, '127.0.0.1');
      client.write(sent);
      return client;
    });
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
    paceConnections(server);
    for (let number = 0; number < 9; number++) server.emit('connection', new Socket());
    const refused = new Socket();
    server.emit('connection', refused);
    refused.destroy();
    await turn();
    await turn();
    assert.equal(begun, 9);
  });
});
