/** A target that webhooks must not reach. */

/** The message begins with "blocked address" and says which and why. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  /** Told from the failures of sockets by whoever gets it through one. */
  readonly code = 'BLOCKED_ADDRESS';

  /** @param why "loopback"; @param host the name that leads to the address, if it is not the address itself */
  constructor(address: string, why: string, host?: string) {
    const of = host === undefined || host === address ? '' : ` of ${host}`;
    super(`blocked address ${address}${of} (${why})`);
  }
}
