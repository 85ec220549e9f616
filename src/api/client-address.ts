/**
 * Which address a request comes from, for limits by address, and the limit of connections of one address. An address is
 * known if TRUSTED_PROXIES says which proxies to believe, or if nothing stands in between. Behind a proxy that is not
 * known, all clients seem to have one address, so limits by address do not act.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../platform/logger.js';

type AddressConfig = Pick<Config, 'trustedProxies' | 'connectionsPerAddress'>;

export interface ClientAddresses {
  /** The client's address; null when it is not known. An IPv6 address stands for its /64, which one client has. */
  of(request: IncomingMessage): string | null;
  /** The same for a connection before its first request; null also when it is that of a proxy, which many clients share. */
  ofConnection(socket: Socket): string | null;
  /** The address for logs, in full: behind a proxy that is not known, that of the proxy. */
  shown(request: IncomingMessage): string | null;
  /** Whether a trusted proxy says that the client came by TLS. */
  isSecure(request: IncomingMessage): boolean;
  /** Refuses further connections of an address that has as many as are allowed, with 429. */
  limitConnections(server: Server): void;
}

const RETRY_AFTER_SECONDS = 5;
const TOO_MANY =
  `HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${RETRY_AFTER_SECONDS}\r\n` +
  'Content-Length: 0\r\nConnection: close\r\n\r\n';

export function createClientAddresses(config: AddressConfig, logger: Logger): ClientAddresses {
  const { trustedProxies, connectionsPerAddress } = config;
  const trusted = (trustedProxies ?? []).map((network) => ipaddr.parseCIDR(network));
  const connections = new Map<string, number>();
  /** A header that we may not believe has shown that there is a proxy. */
  let unknownProxy = false;

  function isTrusted(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }

  function noticeProxy(): void {
    if (unknownProxy) return;
    unknownProxy = true;
    logger.warn(
      'requests come through a proxy that TRUSTED_PROXIES does not name, so limits by address do not act; ' +
        'set TRUSTED_PROXIES to the networks of the proxies, or to nothing if there is none',
    );
  }

  function countConnection(socket: Socket): void {
    const peer = parsed(socket.remoteAddress);
    if (peer === null || isTrusted(peer)) return;
    const address = keyOf(peer);
    const count = (connections.get(address) ?? 0) + 1;
    connections.set(address, count);
    socket.once('close', () => {
      const left = (connections.get(address) ?? 1) - 1;
      if (left === 0) connections.delete(address);
      else connections.set(address, left);
    });
    if (count > connectionsPerAddress && !unknownProxy) {
      socket.on('error', () => undefined);
      // What is left unread would reset the connection before the client has read the answer.
      socket.resume();
      socket.end(TOO_MANY, () => socket.destroy());
    }
  }

  function locate(request: IncomingMessage): ipaddr.IPv4 | ipaddr.IPv6 | null {
    let address = parsed(request.socket.remoteAddress);
    if (trusted.length === 0) return address;
    const forwarded = request.headers['x-forwarded-for'];
    const before = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').reverse();
    // Each trusted proxy has appended the address that it was called from.
    for (const text of before) {
      if (address === null || text.trim() === '' || !isTrusted(address)) break;
      address = parsed(text.trim());
    }
    return address;
  }

  return {
    of: (request) => {
      if (trustedProxies === undefined && request.headers['x-forwarded-for'] !== undefined) noticeProxy();
      if (unknownProxy) return null;
      const address = locate(request);
      return address === null ? null : keyOf(address);
    },
    ofConnection: ({ remoteAddress }) => {
      const peer = unknownProxy ? null : parsed(remoteAddress);
      return peer === null || isTrusted(peer) ? null : keyOf(peer);
    },
    shown: (request) => locate(request)?.toString() ?? null,
    isSecure: (request) => {
      const peer = parsed(request.socket.remoteAddress);
      return peer !== null && isTrusted(peer) && request.headers['x-forwarded-proto'] === 'https';
    },
    limitConnections: (server) => {
      server.on('connection', countConnection);
    },
  };
}

function parsed(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

const BYTES_OF_PREFIX = 8;

function keyOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString();
  return `${Buffer.from(address.toByteArray().slice(0, BYTES_OF_PREFIX)).toString('hex')}/64`;
}
