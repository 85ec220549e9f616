/** A TCP connection path to Postgres or Redis that a test can break in the ways in which networks break, and repair. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `pass`: nothing is broken. `drop`: connections are reset and new ones refused. `delay`: each packet is late.
 * `half-open`: the connections that are open now go silent and stay open; new ones work. `silent`: all go silent.
 */
type LineState = 'pass' | 'drop' | 'delay' | 'half-open' | 'silent';

export interface FaultyLine {
  /** The server's address by way of this line. */
  readonly url: string;
  /** @param lateMs for `delay`: by how much, in milliseconds */
  set(state: LineState, lateMs?: number): void;
  close(): Promise<void>;
}

export async function openFaultyLine(url: string): Promise<FaultyLine> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let state: LineState = 'pass';
  let lateMs = 0;
  const server = createServer((client) => {
    if (state === 'drop') {
      client.resetAndDestroy();
      return;
    }
    const pair = new Pair(client, connect(Number(target.port), target.hostname), () =>
      state === 'delay' ? lateMs : 0,
    );
    pairs.add(pair);
    client.once('close', () => pairs.delete(pair));
    if (state === 'silent') pair.silence();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = new URL(url);
  line.hostname = '127.0.0.1';
  line.port = String((server.address() as AddressInfo).port);
  return {
    url: line.href,
    set: (next, late = 0) => {
      state = next;
      lateMs = late;
      for (const pair of pairs) {
        if (next === 'drop') pair.reset();
        if (next === 'half-open' || next === 'silent') pair.silence();
      }
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const pair of pairs) pair.reset();
      await closed;
    },
  };
}

/** The two sides of a connection. One that went silent stays so: what was lost on the way does not come back. */
class Pair {
  #isSilent = false;

  constructor(
    readonly client: Socket,
    readonly server: Socket,
    readonly lateMs: () => number,
  ) {
    this.#relay(client, server);
    this.#relay(server, client);
  }

  silence(): void {
    this.#isSilent = true;
    // The server notices in its own time, as it would behind a network that is gone.
    for (const socket of [this.client, this.server]) socket.pause();
  }

  reset(): void {
    for (const socket of [this.client, this.server]) reset(socket);
  }

  #relay(from: Socket, to: Socket): void {
    // One after the other, so that packets which are late stay in order.
    let sent: Promise<unknown> = Promise.resolve();
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (this.#isSilent) return;
      const late = this.lateMs();
      from.pause();
      sent = sent
        .then(() => (late === 0 ? undefined : delay(late)))
        .then(() => {
          if (this.#isSilent || to.destroyed) return;
          to.write(bytes);
          from.resume();
        });
    });
    from.on('error', () => undefined);
    from.on('end', () => {
      if (!this.#isSilent) sent = sent.then(() => to.end());
    });
    from.on('close', () => {
      if (!this.#isSilent) sent = sent.then(() => to.destroy());
      // The process is gone: what it left at the server would otherwise stay until the end of the run.
      else if (from === this.client) this.server.destroy();
    });
  }
}

/** A socket that is being ended cannot be reset, and Node 20 would never close its file descriptor. */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
