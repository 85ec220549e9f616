/** Which addresses no webhook may reach: everything that is not plainly the public internet. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network that is open all the same: an address and the bits of it that count. */
export type Network = readonly [Address, number];

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
export function forbiddenRange(text: string, allowed: readonly Network[]): string | null {
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
