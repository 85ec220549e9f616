/** The principals of requests. */
import type { AccountQuotas } from './quotas.js';
import type { AccountScope } from './scopes.js';

export interface AccountPrincipal {
  readonly kind: 'account';
  readonly tokenId: string;
  /** The session in whose cookie the request was sent; absent: it was sent with the token itself. */
  readonly sessionId?: string | undefined;
  /** The client to which the token was granted; absent: to none. */
  readonly clientId?: string | undefined;
  readonly accountId: string;
  readonly scopes: readonly AccountScope[];
  readonly quotas: AccountQuotas;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly tokenId: string;
}

/** The caller of a route that requires no token: the route is public, or the URL is signed. */
interface AnonymousPrincipal {
  readonly kind: 'anonymous';
}

export type Principal = AccountPrincipal | OperatorPrincipal | AnonymousPrincipal;
