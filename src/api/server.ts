/** The HTTP server around the application: its time limits, and how it stops. */
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientAddresses } from './client-address.js';
import { deferContinue } from './invite-body.js';
import { oneAtATime } from './limits/one-at-a-time.js';
import { createPacing } from './limits/request-pacing.js';

/** The longest silence on a connection during a request or answer. This limit also ends stalled uploads. */
const MIN_IDLE_MS = 60_000;
/** The time for all headers of a request; bytes that arrive do not renew it. */
const HEADERS_MS = 30_000;
/** How often connections are checked for headers that are late. */
const CHECK_CONNECTIONS_MS = 5_000;
/** Longer than load balancers keep idle connections, so that they never write to one that we are closing. */
const KEEP_ALIVE_MS = 75_000;

interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** A minute at least, because with `Prefer: wait` a connection may be silent for 25 seconds. */
  readonly idleMs?: number | undefined;
  /** Limits the connections of each address. Default: no limit. */
  readonly addresses?: ClientAddresses | undefined;
}

export interface RunningServer {
  /** http://host:port, with the actual port if port 0 was requested. */
  readonly url: string;
  /** Accepts no more connections, lets requests finish for `graceMs`, then closes the connections of all others. */
  stop(graceMs: number): Promise<void>;
}

const UNKNOWN_ADDRESSES = { of: () => null, ofConnection: () => null };

/** Listens. @throws Error that explains in one sentence, for the person who starts the process, why it cannot */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningServer> {
  const pacing = createPacing(options.addresses ?? UNKNOWN_ADDRESSES);
  const server = createServer({ connectionsCheckingInterval: CHECK_CONNECTIONS_MS }, pacing.ofRequests(listener));
  // An upload may take any time while bytes keep arriving; bodies in memory have a time limit of their own.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = Math.max(options.idleMs ?? 0, MIN_IDLE_MS);
  deferContinue(server);
  oneAtATime(server);
  pacing.ofConnections(server);
  options.addresses?.limitConnections(server);
  return listen(server, options);
}

/** Has a server listen. @param variable the one that sets its port @throws Error like startServer */
export async function listen(
  server: Server,
  { host, port, variable = 'PORT' }: Pick<ServerOptions, 'host' | 'port'> & { readonly variable?: string },
): Promise<RunningServer> {
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, host, port, variable)));
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no address'));
      else resolve(address);
    });
  });
  return { url: urlOf(address), stop: (graceMs) => stop(server, graceMs) };
}

function explained(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `port ${port} on ${host} is in use by another process; stop it, or set ${variable} to a free one`,
      );
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}; set ${variable} to one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`HOST ${host} is not an address of this machine; set HOST to one of its addresses`);
    default:
      return error;
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
