/** A line to a server that refuses connections until it is opened, as Postgres does while it recovers. */
import { EventEmitter, once } from 'node:events';
import { openProxy } from './proxy.js';

export interface ShutLine {
  /** The server's address by way of this line. */
  readonly url: string;
  /** Resolves when a connection has been refused. */
  refused(): Promise<void>;
  open(): void;
  close(): Promise<void>;
}

export async function openShutLine(url: string): Promise<ShutLine> {
  let isOpen = false;
  const refusals = new EventEmitter();
  const refused = once(refusals, 'refused');
  const proxy = await openProxy(url, {
    accepts: () => {
      if (!isOpen) refusals.emit('refused');
      return isOpen;
    },
    relay: (client, server) => {
      client.pipe(server);
      server.pipe(client);
    },
  });
  return {
    url: proxy.url,
    refused: async () => {
      await refused;
    },
    open: () => {
      isOpen = true;
    },
    close: proxy.close,
  };
}
