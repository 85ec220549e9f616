/** A target that webhooks must not reach. */

/** The message begins with "blocked address", and names the address and the reason. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  /** Distinguishes it from other errors of a socket. */
  readonly code = 'BLOCKED_ADDRESS';
  /** Whether it is an address of a network that an operator may allow. */
  readonly isInside: boolean;

  /** @param why such as "loopback" @param host the name that has the address, if it is not the address itself */
  constructor(address: string, why: string, host?: string) {
    const of = host === undefined || host === address ? '' : ` of ${host}`;
    super(`blocked address ${address}${of} (${why})`);
    this.isInside = host !== undefined;
  }
}
