/** Finds a free port, and checks whether a port is free. */
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, LaunchError } from './launch-error.js';

const LOOPBACK = '127.0.0.1';
/** The processes of a launcher that was killed just before may need this time to end. */
const RETRY_FOR_MS = 1_000;
const POLL_INTERVAL_MS = 100;

/** A port that is free on loopback at this moment: `preferred`, if it is free. */
export async function freePort(preferred?: number | undefined): Promise<number> {
  if (preferred !== undefined && (await tryPort(LOOPBACK, preferred)) === undefined) return preferred;
  const found = await listenOnce(LOOPBACK, 0);
  if (found instanceof Error) throw found;
  return found;
}

/** @throws LaunchError that says why no server can listen at `host` and `port` */
export async function requireFreePort(host: string, port: number): Promise<void> {
  let error = await tryPort(host, port);
  for (const until = performance.now() + RETRY_FOR_MS; hasCode(error, 'EADDRINUSE') && performance.now() < until; ) {
    await delay(POLL_INTERVAL_MS);
    error = await tryPort(host, port);
  }
  if (error === undefined) return;
  if (hasCode(error, 'EADDRINUSE')) {
    throw new LaunchError(
      `Port ${port} on ${host} is in use by another program: stop that one, or set PORT to a free port.`,
    );
  }
  if (hasCode(error, 'EACCES')) {
    throw new LaunchError(`Port ${port} on ${host} may not be used by this user: set PORT to 1024 or higher.`);
  }
  if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL')) {
    throw new LaunchError(
      `HOST "${host}" is not an address of this machine: set HOST to one of its addresses, such as 127.0.0.1.`,
    );
  }
  throw error;
}

async function tryPort(host: string, port: number): Promise<Error | undefined> {
  const result = await listenOnce(host, port);
  return result instanceof Error ? result : undefined;
}

function listenOnce(host: string, port: number): Promise<number | Error> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });
}
