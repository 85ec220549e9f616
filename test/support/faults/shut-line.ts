/** A line to a server that refuses connections until it is opened, as Postgres does while it recovers. */
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface ShutLine {
  /** The server's address by way of this line. */
  readonly url: string;
  /** Resolves when a connection has been refused. */
  refused(): Promise<void>;
  open(): void;
  close(): Promise<void>;
}

export async function openShutLine(url: string): Promise<ShutLine> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isOpen = false;
  const refusals = new EventEmitter();
  const refused = once(refusals, 'refused');
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      refusals.emit('refused');
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = new URL(url);
  line.hostname = '127.0.0.1';
  line.port = String((server.address() as AddressInfo).port);
  return {
    url: line.href,
    refused: async () => {
      await refused;
    },
    open: () => {
      isOpen = true;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
