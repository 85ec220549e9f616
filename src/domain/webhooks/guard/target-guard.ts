/** Keeps webhooks out of our own network: every address that a target leads to is checked, and only checked ones are connected to. */
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BlockedAddressError } from './blocked-address.js';

/** All addresses of a name. @throws the resolver's error, with its `code` */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface TargetGuard {
  /**
   * Refuses what is no target: another scheme than http and https, a name or password within, a forbidden address
   * or a name that has one. A name that does not resolve passes: it may yet, and is checked at each attempt.
   * @throws BlockedAddressError
   */
  checkTarget(target: string): Promise<void>;
  /** The part of that which needs no resolver, to be asked before each connection: a socket looks up names only. @throws BlockedAddressError */
  checkLiteral(target: URL): void;
  /** For sockets: resolves a name, and hands out its addresses only if none of them is forbidden. */
  readonly lookup: LookupFunction;
}

interface TargetGuardOptions {
  /** Networks that are open whatever they are, as CIDR: 10.1.0.0/16. */
  readonly allowedNetworks: readonly string[];
  readonly resolveName: ResolveName;
}

/** Names that mean this machine, by RFC 6761, and are nobody's to resolve otherwise. */
const LOCALHOST = /(?:^|\.)localhost$/;
const LOCAL_ADDRESSES = ['127.0.0.1', '::1'] as const;

export function createTargetGuard({ allowedNetworks, resolveName }: TargetGuardOptions): TargetGuard {
  const allowed: readonly Network[] = allowedNetworks.map((network) => ipaddr.parseCIDR(network));

  function checkAddresses(host: string, addresses: readonly string[]): readonly string[] {
    for (const address of addresses) {
      const why = forbiddenRange(address, allowed);
      if (why !== null) throw new BlockedAddressError(address, why, host);
    }
    return addresses;
  }

  /** One forbidden address among many is enough: an honest name has none. @throws also what the resolver throws */
  async function checkedAddresses(host: string): Promise<readonly string[]> {
    const name = host.replace(/\.+$/, '').toLowerCase();
    if (!LOCALHOST.test(name)) return checkAddresses(host, await resolveName(host));
    const open = LOCAL_ADDRESSES.filter((address) => forbiddenRange(address, allowed) === null);
    return open.length > 0 ? open : checkAddresses(host, LOCAL_ADDRESSES);
  }

  function checkLiteral(target: URL): void {
    const host = hostOf(target);
    if (isIP(host) !== 0) checkAddresses(host, [host]);
  }

  return {
    checkLiteral,
    checkTarget: async (target) => {
      const url = parseTarget(target);
      checkLiteral(url);
      const host = hostOf(url);
      if (isIP(host) !== 0) return;
      try {
        await checkedAddresses(host);
      } catch (error) {
        if (error instanceof BlockedAddressError) throw error;
      }
    },
    lookup: (host, { all, family }, answer) => {
      checkedAddresses(host).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const fitting = found.filter((one) => family === undefined || family === 0 || one.family === family);
          const [first] = fitting;
          if (first === undefined) answer(noAddress(host), '');
          else if (all === true) answer(null, fitting);
          else answer(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => answer(error, ''),
      );
    },
  };
}

/** @throws BlockedAddressError for what is no address that may be called */
export function parseTarget(target: string): URL {
  if (!URL.canParse(target)) throw new BlockedAddressError(target, 'not a URL');
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BlockedAddressError(target, 'neither http nor https');
  }
  if (url.username !== '' || url.password !== '') {
    throw new BlockedAddressError(url.host, 'a name or password in the URL');
  }
  return url;
}

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}

// Which addresses no webhook may reach: everything that is not plainly the public internet.

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network that is open all the same: an address and the bits of it that count. */
type Network = readonly [Address, number];

/** Answered by clouds to whoever asks, and looking like any public address. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '169.254.169.254', '169.254.170.2', '192.0.0.192']);

/** How a range of ipaddr.js is called in messages. */
const NAMES: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'carrier-grade NAT',
  private: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
};

/** The prefix of RFC 6052: where all that can be reached is IPv4, a public name resolves to an address within. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** What of IPv6 is given out to the internet; the rest is reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why an address must not be connected to; null: it may be.
 * @param text an IPv4 or IPv6 address, with or without a zone
 * @param allowed networks that are open whatever they are
 */
function forbiddenRange(text: string, allowed: readonly Network[]): string | null {
  if (!ipaddr.isValid(text)) return 'not an address';
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return forbiddenV4(address, allowed);
  if (isWithin(address, allowed)) return null;
  // An address of one interface of this machine, whatever its bits say.
  if (address.zoneId !== undefined) return 'of one interface';
  // The kernel sends what is for a mapped address to the IPv4 address itself.
  if (address.isIPv4MappedAddress()) return forbiddenV4(address.toIPv4Address(), allowed);
  if (address.match(NAT64)) return forbiddenBehindNat64(address);
  const range = address.range();
  if (range === 'unicast' && address.match(GLOBAL_UNICAST)) return null;
  return NAMES[range] ?? 'reserved';
}

function forbiddenV4(address: ipaddr.IPv4, allowed: readonly Network[]): string | null {
  if (isWithin(address, allowed)) return null;
  if (METADATA.has(address.toString())) return 'metadata';
  const range = address.range();
  return range === 'unicast' ? null : (NAMES[range] ?? 'reserved');
}

/** What a gateway makes of it. Only the public is behind one; networks that are open here are not those that it reaches. */
function forbiddenBehindNat64(address: ipaddr.IPv6): string | null {
  const embedded = new ipaddr.IPv4(address.toByteArray().slice(12));
  const range = forbiddenV4(embedded, []);
  return range === null ? null : `NAT64 of ${range}`;
}

function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => {
    if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
    return network instanceof ipaddr.IPv6 && address.match(network, bits);
  });
}
