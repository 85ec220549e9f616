/** Logins in the turns of their addresses: anybody may send them. */
import type { Context } from 'koa';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { ApiServices } from '../../services.js';
import { sentSession } from '../../session-cookie.js';
import { clientGone } from '../../waiting-client.js';

/** The secret that the browser has from an earlier login, if it has one that can be read. */
export function secretBefore(
  koa: Context,
  { publicUrl }: ApiServices,
  kind?: Parameters<typeof sentSession>[2],
): string | undefined {
  try {
    return sentSession(koa.req, publicUrl(), kind);
  } catch {
    return undefined;
  }
}

/**
 * Logs in when it is the turn of the address, and makes an address wait after many refused logins.
 * @throws DomainError busy, with Retry-After; what `logIn` throws
 */
export async function inTurn<T>(
  koa: Context,
  { addresses, loginFailures, grantInTurn }: ApiServices,
  logIn: () => Promise<T>,
): Promise<T> {
  const address = addresses.of(koa.req);
  const requireNoWait = () => {
    const waitMs = address === null ? 0 : loginFailures.waitMs(address);
    if (waitMs === 0) return;
    const message = 'too many logins of this address were refused; wait before you try again';
    throw new DomainError('busy', 'TOO_MANY_LOGINS', message, { retryAfterSeconds: waitMs / 1000 });
  };
  try {
    requireNoWait();
    const loggedIn = await grantInTurn(address, clientGone(koa.res), () => {
      // Others of the address were refused while this one waited for its turn.
      requireNoWait();
      return logIn();
    });
    if (address !== null) loginFailures.succeeded(address);
    return loggedIn;
  } catch (error) {
    const isRefused = error instanceof DomainError && error.kind === 'unauthorized';
    if (isRefused && address !== null) loginFailures.failed(address);
    throw error;
  }
}
