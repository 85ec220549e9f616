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

/** A partner who receives the deliveries of one webhook definition, and reaches nothing else of the account. */
export interface ReceiverPrincipal {
  readonly kind: 'receiver';
  /** That of the link. */
  readonly tokenId: string;
  readonly sessionId?: string | undefined;
  readonly accountId: string;
  readonly webhookId: string;
  /** Whether events may be delivered again to this definition. */
  readonly mayReplay: boolean;
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

export type Principal = AccountPrincipal | ReceiverPrincipal | OperatorPrincipal | AnonymousPrincipal;

/** Whether what is asked for counts as the account's: its quotas and its share of the system. */
export function isOfAccount(principal: Principal): principal is AccountPrincipal | ReceiverPrincipal {
  return principal.kind === 'account' || principal.kind === 'receiver';
}
