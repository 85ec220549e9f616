import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { receiveBytes } from '../../../src/api/receive-bytes.js';
import { openRaw } from '../../support/http/raw-http.js';

const LIMITS = { maxBytes: 100_000_000, idleMs: 5_000 };
const SIZE = 16 * 1_048_576;

describe('receiving the bytes of an upload', () => {
  let server: Server;
  let url: string;
  let receive: (request: IncomingMessage) => Promise<number>;
  before(async () => {
    server = createServer((request, response) => {
      receive(request).then(
        (bytes) => response.end(`got ${bytes}.`),
        (error: Error) => response.end(`failed: ${error.message}.`),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = async (body: Buffer<ArrayBuffer>): Promise<string> => (await fetch(url, { method: 'PUT', body })).text();
  /** A disk that takes its time. */
  const slowSink = (write: (chunk: Buffer) => Promise<unknown>) =>
    new Writable({
      highWaterMark: 65_536,
      write: (chunk: Buffer, _encoding, done) => void write(chunk).then(() => done(), done),
    });

  it('is no faster than the disk, and holds little meanwhile', async () => {
    let written = 0;
    let most = 0;
    const sink = slowSink(async (chunk) => {
      most = Math.max(most, sink.writableLength);
      written += chunk.length;
      await new Promise(setImmediate);
    });
    receive = (request) => receiveBytes(request, sink, LIMITS);
    assert.equal(await send(Buffer.alloc(SIZE)), `got ${SIZE}.`);
    assert.equal(written, SIZE);
    assert.ok(most <= 3 * 65_536, `held ${most} bytes`);
  });

  it('does not take a slow disk for a silent client', async () => {
    const sink = slowSink(() => delay(30));
    receive = (request) => receiveBytes(request, sink, { ...LIMITS, idleMs: 20 });
    assert.equal(await send(Buffer.alloc(500_000)), 'got 500000.');
  });

  it('refuses a client that sends a byte from time to time, which never is silent', async () => {
    const sink = slowSink(async () => undefined);
    receive = (request) => receiveBytes(request, sink, { ...LIMITS, idleMs: 100 });
    const slow = openRaw(url, 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const byteByByte = setInterval(() => slow.socket.write('x'), 10);
    assert.match(await slow.received(/failed: .*\./), /more slowly than 1 kB a second/);
    clearInterval(byteByByte);
    slow.socket.destroy();
  });

  it('fails as the disk does, at once or at the end', async () => {
    receive = (request) =>
      receiveBytes(
        request,
        slowSink(async () => Promise.reject(new Error('full'))),
        LIMITS,
      );
    assert.equal(await send(Buffer.alloc(100_000)), 'failed: full.');
    const atEnd = new Writable({
      write: (_chunk, _encoding, done) => done(),
      final: (done) => done(new Error('late')),
    });
    receive = (request) => receiveBytes(request, atEnd, LIMITS);
    assert.equal(await send(Buffer.alloc(100_000)), 'failed: late.');
  });

  it('notices a client that left before it began', async () => {
    const failed = new Promise<string>((resolve, reject) => {
      receive = async (request) => {
        await new Promise((resolve) => request.once('close', resolve));
        const sink = slowSink(async () => undefined);
        receiveBytes(request, sink, LIMITS).then(
          () => reject(new Error('received')),
          (error: Error) => resolve(error.name),
        );
        return 0;
      };
    });
    const { socket } = openRaw(url, 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    await once(server, 'request');
    socket.resetAndDestroy();
    assert.equal(await failed, 'ClientGone');
  });
});
