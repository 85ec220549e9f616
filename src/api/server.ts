/** The HTTP server around the application: its time limits, and how it stops. */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Silence on a connection in the middle of a request or answer. Also what ends an upload that has stalled. */
const MIN_IDLE_MS = 60_000;
const HEADERS_MS = 30_000;
/** Longer than load balancers keep their end, so that they never write to a connection we are closing. */
const KEEP_ALIVE_MS = 75_000;

interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Never less than a minute: an answer that a client waits for may be silent for 25 seconds. */
  readonly idleMs?: number | undefined;
}

export interface RunningServer {
  /** http://host:port as it really is, with the port the system chose for port 0. */
  readonly url: string;
  /** Takes no more connections, lets requests finish for `graceMs`, then cuts those that have not. */
  stop(graceMs: number): Promise<void>;
}

/** Listens. @throws Error saying in one sentence, for the person who starts the process, why it cannot */
export async function startServer(listener: RequestListener, options: ServerOptions): Promise<RunningServer> {
  const server = createServer(listener);
  // An upload of any length may take its time as long as it moves; bodies in memory have a limit of their own.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = Math.max(options.idleMs ?? 0, MIN_IDLE_MS);
  deferContinue(server);
  const address = await listen(server, options);
  return { url: urlOf(address), stop: (graceMs) => stop(server, graceMs) };
}

function listen(server: Server, { host, port }: ServerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no address'));
      else resolve(address);
    });
  });
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} on ${host} is in use by another process; stop it, or set PORT to a free one`);
    case 'EACCES':
      return new Error(`this user may not listen on port ${port}; set PORT to one above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`HOST ${host} is no address of this machine`);
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

// `Expect: 100-continue`: a client with a large body waits for our word, so that a refusal costs it nothing.

const waiting = new WeakSet<IncomingMessage>();

/** Keeps Node from inviting every body at once. */
function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Call before the first byte of a body is read. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}
