/** Narrows the caller of a route that accepts tokens of accounts only. */
import type { AccountPrincipal, Principal } from '../domain/access/principals.js';

/** @throws Error when the route accepts others, which is a mistake of its declaration */
export function requireAccountPrincipal(principal: Principal): AccountPrincipal {
  if (principal.kind === 'account') return principal;
  throw new Error('this route is for tokens of accounts: its auth names another scope');
}
