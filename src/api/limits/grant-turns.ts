/** Limits the connections to the database that requests for tokens use, because anybody may send them. */
import { DomainError } from '../../domain/kernel/errors.js';
import { createPermits } from '../../platform/limits/permits.js';

const AT_ONCE = 2;
/** Requests of one address that wait; further ones are refused. */
const MOST_WAITING = 512;
const RETRY_AFTER_SECONDS = 2;

/**
 * Grants a token when it is the turn of its address.
 * @param address null: not known, and all such clients have one turn together
 * @param gone aborted when nobody waits for the token any more
 * @throws what `grant` throws; DomainError busy when too many requests of the address wait; the reason of the abort
 */
export type GrantInTurn = <T>(address: string | null, gone: AbortSignal, grant: () => Promise<T>) => Promise<T>;

/** @param atOnce how many may run at the same time */
export function createGrantTurns(atOnce = AT_ONCE): GrantInTurn {
  const permits = createPermits(atOnce);
  return async (address, gone, grant) => {
    const lane = address ?? '';
    if (permits.waitingIn(lane) >= MOST_WAITING) {
      const message = `${MOST_WAITING} requests for tokens wait already that come from this address; send this one again shortly, and keep a token until it expires`;
      throw new DomainError('busy', 'temporarily_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const permit = await permits.take(lane, lane, gone);
    try {
      return await grant();
    } finally {
      permit.leave();
    }
  };
}
