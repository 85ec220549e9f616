import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type FaultyLine, openFaultyLine } from '../../support/faults/faulty-line.js';
import { until } from '../../support/until.js';

const UNANSWERED_MS = 150;
/** An answer may take so long on a machine with much other work. */
const ANSWERED_MS = 10_000;

describe('a line that can be broken', () => {
  let echo: Server;
  let line: FaultyLine;
  const sockets: Socket[] = [];
  before(async () => {
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  beforeEach(async () => {
    const address = echo.address();
    assert.ok(address !== null && typeof address === 'object');
    line = await openFaultyLine(`tcp://127.0.0.1:${address.port}`);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await line.close();
  });
  after(() => echo.close());

  it('passes on what both sides say', async () => {
    assert.equal(await ask(await open(), 'hello', ANSWERED_MS), 'hello');
  });

  it('resets connections and refuses new ones while it drops them', async () => {
    const before = await open();
    const lost = closed(before);
    line.set('drop');
    await lost;
    // Refused in the middle of the handshake, or at once after it.
    await open().then(closed, () => undefined);
    line.set('pass');
    assert.equal(await ask(await open(), 'again', ANSWERED_MS), 'again');
  });

  it('delays packets and keeps their order', async () => {
    const socket = await open();
    line.set('delay', 40);
    const startedAt = performance.now();
    assert.equal(await ask(socket, 'late', ANSWERED_MS), 'late');
    assert.ok(performance.now() - startedAt >= 75);
  });

  it('silences the connections that are open for good, and lets new ones work', async () => {
    const before = await open();
    assert.equal(await ask(before, 'hello', ANSWERED_MS), 'hello');
    line.set('half-open');
    assert.equal(await ask(before, 'lost'), undefined);
    assert.equal(await ask(await open(), 'new', ANSWERED_MS), 'new');
    line.set('pass');
    assert.equal(await ask(before, 'still lost'), undefined);
    assert.equal(before.closed, false);
  });

  it('lets nothing through while it is silent', async () => {
    line.set('silent');
    assert.equal(await ask(await open(), 'lost'), undefined);
    line.set('pass');
    assert.equal(await ask(await open(), 'new', ANSWERED_MS), 'new');
  });

  it('leaves no socket open when it resets connections in the moment in which they end', async () => {
    const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = openSockets();
    const ending = [await open(), await open(), await open()];
    // Ends after them, in the same turn of the event loop: what they then began is not done.
    const trigger = createServer((socket) => socket.resume().on('end', () => line.set('drop'))).listen(0, '127.0.0.1');
    await once(trigger, 'listening');
    const last = connect((trigger.address() as AddressInfo).port);
    await once(last, 'connect');
    for (const socket of [...ending, last]) socket.end();
    await Promise.all([...ending, last].map(closed));
    trigger.close();
    await until('all are closed', () => openSockets() <= before, ANSWERED_MS);
  });

  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(line.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }
});

/** Resolves when a connection has been reset, which is an error of its socket first. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** Undefined: nothing comes back. */
async function ask(socket: Socket, text: string, withinMs = UNANSWERED_MS): Promise<string | undefined> {
  const signal = AbortSignal.timeout(withinMs);
  socket.write(text);
  const answer = await once(socket, 'data', { signal }).catch(() => [undefined]);
  return answer[0]?.toString();
}
