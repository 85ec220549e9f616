/**
 * Keeps what tenants have us connect to, such as the targets of webhooks, out of our own network (SSRF): each address is
 * checked before it is connected to.
 */
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BlockedAddressError } from './blocked-address.js';
import { forbiddenRange, type Network } from './forbidden-addresses.js';

/** Returns all addresses of a name. @throws the error of the resolver, with its `code` */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface AddressGuard {
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

interface AddressGuardOptions {
  /** Networks that may be called even if they are not public, as CIDR: 10.1.0.0/16. */
  readonly allowedNetworks: readonly string[];
  readonly resolveName: ResolveName;
}

/** Names that always mean this machine, by RFC 6761, so that no resolver is asked. */
const LOCALHOST = /(?:^|\.)localhost$/;
const LOCAL_ADDRESSES = ['127.0.0.1', '::1'] as const;

export function createAddressGuard({ allowedNetworks, resolveName }: AddressGuardOptions): AddressGuard {
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

  function checkHost(host: string): void {
    if (isIP(host) !== 0) checkAddresses(host, [host]);
  }

  return {
    checkLiteral: (target) => checkHost(hostOf(target)),
    checkTarget: async (target) => {
      const url = parseTarget(target);
      const host = hostOf(url);
      checkHost(host);
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
export const FORBIDDEN_PORTS: ReadonlySet<string> = new Set(['0', '25']);

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
