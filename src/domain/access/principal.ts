/** Who is asking. */
import type { AccountScope } from './scopes.js';

export interface AccountPrincipal {
  readonly kind: 'account';
  readonly tokenId: string;
  readonly accountId: string;
  readonly scopes: readonly AccountScope[];
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly tokenId: string;
}

/** The caller of a route that asks for no token (public, or opened by a signed URL). */
interface AnonymousPrincipal {
  readonly kind: 'anonymous';
}

export type Principal = AccountPrincipal | OperatorPrincipal | AnonymousPrincipal;
