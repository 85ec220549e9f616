/** A TCP proxy in front of a server; a test decides which connections it accepts, and what it passes on. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  /** The server's address by way of the proxy. */
  readonly url: string;
  /** Ends all connections. */
  cut(): void;
  close(): Promise<void>;
}

interface ProxyRules {
  /** Asked for each connection; one that is refused is closed at once. */
  accepts(): boolean;
  /** Connects the two sides, both of which are open. */
  relay(client: Socket, server: Socket): void;
}

export async function openProxy(url: string, { accepts, relay }: ProxyRules): Promise<Proxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    if (!accepts()) {
      client.destroy();
      return;
    }
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    relay(client, server);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = new URL(url);
  address.hostname = '127.0.0.1';
  address.port = String((proxy.address() as AddressInfo).port);
  return {
    url: address.href,
    cut,
    close: async () => {
      const closed = once(proxy, 'close');
      proxy.close();
      cut();
      await closed;
    },
  };
}
