/**
 * A line to Postgres or Redis whose connections can go silent, as after a loss of power or behind a firewall that has
 * forgotten them: their sockets stay open and nothing arrives. New connections work at once.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentLine {
  /** The server's address by way of this line. */
  readonly url: string;
  /** Silences all connections that are open now. @returns how many */
  silence(): number;
  close(): Promise<void>;
}

export async function openSilentLine(url: string): Promise<SilentLine> {
  const target = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        // The other end of a silent connection does not hear of it.
        if (pairs.delete(pair)) for (const each of pair) each.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const silent = new Set<Socket>();
  const line = new URL(url);
  line.hostname = '127.0.0.1';
  line.port = String((server.address() as AddressInfo).port);
  return {
    url: line.href,
    silence: () => {
      const count = pairs.size;
      for (const [client, upstream] of pairs) {
        for (const socket of [client, upstream]) {
          socket.unpipe();
          socket.pause();
          silent.add(socket);
        }
      }
      pairs.clear();
      return count;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of [...silent, ...[...pairs].flat()]) socket.destroy();
      await closed;
    },
  };
}
