/** The forbidden addresses: all that do not clearly belong to the public internet. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: an address and the length of its prefix in bits. */
export type Network = readonly [Address, number];

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
export function forbiddenRange(text: string, allowed: readonly Network[]): string | null {
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
