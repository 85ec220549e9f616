/** Logins in the turns of their addresses: anybody may send them. */
import type { Knex } from 'knex';
import type { Context } from 'koa';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { ApiServices } from '../../services.js';
import { type CookieKind, sentSecret } from '../../session-cookie.js';
import { clientGone } from '../../waiting-client.js';

/** The secret that the browser has from an earlier login, if it has one that can be read. */
export function secretBefore(koa: Context, { publicUrl }: ApiServices, kind?: CookieKind): string | undefined {
  try {
    return sentSecret(koa.req, publicUrl(), kind);
  } catch {
    return undefined;
  }
}

type InTransaction = <R>(work: (trx: Knex.Transaction) => Promise<R>) => Promise<R>;

/**
 * Logs in when it is the turn of the address, and makes an address wait after many refused logins.
 * @param asksProvider whether it waits for the identity provider, which is done in turns of their own
 * @throws DomainError busy, with Retry-After; what `logIn` throws
 */
export async function inTurn<T>(
  koa: Context,
  { addresses, loginFailures, grantInTurn, askInTurn, db }: ApiServices,
  asksProvider: boolean,
  logIn: (inTransaction: InTransaction) => Promise<T>,
): Promise<T> {
  const address = addresses.of(koa.req);
  const gone = clientGone(koa.res);
  const requireNoWait = () => {
    const waitMs = address === null ? 0 : loginFailures.waitMs(address);
    if (waitMs === 0) return;
    const message = 'too many logins of this address were refused; wait before you try again';
    throw new DomainError('busy', 'TOO_MANY_LOGINS', message, { retryAfterSeconds: waitMs / 1000 });
  };
  const begin: InTransaction = (work) => db.transaction(work);
  try {
    requireNoWait();
    const take = asksProvider ? askInTurn : grantInTurn;
    const loggedIn = await take(address, gone, () => {
      // Others of the address were refused while this one waited for its turn.
      requireNoWait();
      // Who waits for the provider holds no connection.
      return logIn(asksProvider ? (work) => grantInTurn(address, gone, () => begin(work)) : begin);
    });
    if (address !== null) loginFailures.succeeded(address);
    return loggedIn;
  } catch (error) {
    const isRefused = error instanceof DomainError && error.kind === 'unauthorized';
    if (isRefused && address !== null) loginFailures.failed(address);
    throw error;
  }
}
