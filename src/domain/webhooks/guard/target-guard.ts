/** Keeps webhooks out of our own network (SSRF): each address of a target is checked before it is connected to. */
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BlockedAddressError } from './blocked-address.js';

/** Returns all addresses of a name. @throws the error of the resolver, with its `code` */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface TargetGuard {
  /**
   * Refuses a target with a scheme other than http and https, a user name or password, a forbidden address, or a name
   * that has such an address. A name that does not resolve passes: it is checked again at each attempt.
   * @throws BlockedAddressError
   */
  checkTarget(target: string): Promise<void>;
  /**
   * Checks a target that contains an IP address instead of a name. It is needed before each connection, because a
   * socket calls `lookup` only for names. @throws BlockedAddressError
   */
  checkLiteral(target: URL): void;
  /** For sockets: resolves a name, and returns its addresses only if none of them is forbidden. */
  readonly lookup: LookupFunction;
}

interface TargetGuardOptions {
  /** Networks that may be called even if they are not public, as CIDR: 10.1.0.0/16. */
  readonly allowedNetworks: readonly string[];
  readonly resolveName: ResolveName;
}

/** Names that always mean this machine, by RFC 6761, so that no resolver is asked. */
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

  /** Refuses a name if any of its addresses is forbidden. @throws BlockedAddressError; errors of the resolver */
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

/** No server has port 0, and mail servers (25) would take the lines of a request for commands. */
const FORBIDDEN_PORTS: ReadonlySet<string> = new Set(['0', '25']);

/** @throws BlockedAddressError when the text is not a URL that may be called */
export function parseTarget(target: string): URL {
  if (!URL.canParse(target)) throw new BlockedAddressError(target, 'not a URL');
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new BlockedAddressError(target, 'neither http nor https');
  }
  if (url.username !== '' || url.password !== '') {
    throw new BlockedAddressError(url.host, 'a name or password in the URL');
  }
  if (FORBIDDEN_PORTS.has(url.port)) throw new BlockedAddressError(url.host, `port ${url.port}`);
  return url;
}

/** The host without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}

// The forbidden addresses: all that do not clearly belong to the public internet

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and the length of its prefix in bits. */
type Network = readonly [Address, number];

/** Metadata services of cloud providers. Some of these addresses look like public ones. */
const METADATA = new Set(['168.63.129.16', '100.100.100.200', '169.254.169.254', '169.254.170.2', '192.0.0.192']);

/** The names of the ranges of ipaddr.js in messages. */
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

/** The prefix of RFC 6052: in a network with NAT64, names of IPv4 hosts resolve to addresses with this prefix. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** The IPv6 addresses that are assigned for the internet; all others are reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns why an address is forbidden; null: it is not.
 * @param text an IPv4 or IPv6 address, with or without a zone
 * @param allowed networks that may be called even if they are not public
 */
function forbiddenRange(text: string, allowed: readonly Network[]): string | null {
  if (!ipaddr.isValid(text)) return 'not an address';
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return forbiddenV4(address, allowed);
  if (isWithin(address, allowed)) return null;
  // An address with a zone belongs to one interface of this machine, whatever its bits are.
  if (address.zoneId !== undefined) return 'of one interface';
  // The kernel connects a mapped address to the IPv4 address itself.
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

/** Checks the IPv4 address to which a NAT64 gateway connects. `allowed` does not apply to networks behind a gateway. */
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
