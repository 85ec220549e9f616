/** Authorizes requests: their credentials, by token or by the cookie of a session, and their scope. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Principal } from '../domain/access/principals.js';
import type { AccountScope } from '../domain/access/scopes.js';
import { DomainError } from '../domain/kernel/errors.js';
import { basicCredentials } from './basic-credentials.js';
import type { RouteAuth } from './define-route.js';
import { requireOwnPage } from './own-origin.js';
import { singleHeader } from './request-headers.js';
import type { ApiContext } from './request-state.js';
import type { ApiServices } from './services.js';
import { type CookieKind, sentSecret } from './session-cookie.js';

const ANONYMOUS: Principal = { kind: 'anonymous' };

type Scope = Extract<RouteAuth, { readonly scope: string }>['scope'];
type Refused = (why: string, principal: Principal) => void;

/**
 * The caller of a route. Routes of operators accept operators' tokens only, and no other route accepts those. For
 * browsers, an operator's token may also be sent as the password of Basic. All other routes accept the cookie of a session
 * from our own pages; where a request has the header Authorization, its cookies count for nothing. Routes of receivers
 * have a cookie of their own, and no other route accepts it.
 * @param refused gets the reason when a token or a session is refused, and whose it is
 * @throws DomainError unauthorized or forbidden
 */
export async function authorize(
  ctx: Context | ApiContext,
  auth: RouteAuth,
  services: Authorizing,
  refused: Refused,
): Promise<Principal> {
  if (!('scope' in auth)) return ANONYMOUS;
  const isOfOperators = auth.scope === 'operator';
  const isOfReceivers = auth.scope === 'receiver';
  const isSession = !isOfOperators && singleHeader(ctx.req, 'authorization') === undefined;
  const secret = isSession
    ? cookieOf(ctx, services, refused, isOfReceivers ? 'receiver' : 'session')
    : sentToken(ctx.req, isOfOperators);
  if (secret === undefined) {
    const message = isOfReceivers
      ? 'open the link again, or ask for a new one'
      : 'send a token: Authorization: Bearer <token>';
    throw new DomainError('unauthorized', 'UNAUTHORIZED', message);
  }
  const kind = isSession ? 'session' : 'token';
  const principal = await services.tokens.authenticate(secret, (why, known) => refused(why, known ?? ANONYMOUS), kind);
  if (principal === null) throw new DomainError('unauthorized', 'UNAUTHORIZED', REFUSED[kind]);
  if (isAllowed(principal, auth)) return principal;
  refused('SCOPE', principal);
  throw new DomainError('forbidden', 'FORBIDDEN', notAllowed(auth.scope));
}

function notAllowed(scope: Scope): string {
  if (scope === 'any') return 'this token belongs to no account';
  if (scope === 'receiver') return 'only the link of a receiver opens this, and no token';
  return `this token does not have the scope ${scope}`;
}

/** For routes that need more than the scope which they declare. @throws DomainError forbidden */
export function requireScopes(principal: Principal, scopes: readonly AccountScope[]): void {
  const missing = scopes.find((scope) => principal.kind !== 'account' || !principal.scopes.includes(scope));
  if (missing === undefined) return;
  throw new DomainError('forbidden', 'FORBIDDEN', `this token does not have the scope ${missing}`);
}

/** What authorizing a request needs. */
type Authorizing = Pick<ApiServices, 'tokens' | 'publicUrl' | 'addresses'>;

const REFUSED = {
  token: 'the token is unknown, expired or revoked',
  session: 'the session has expired or was ended: log in again',
};

function isAllowed(principal: Principal, auth: Extract<RouteAuth, { readonly scope: string }>): boolean {
  const { scope, orProposing } = auth;
  if (principal.kind !== 'account' || scope === 'operator' || scope === 'receiver') return principal.kind === scope;
  if (scope === 'any' || principal.scopes.includes(scope)) return true;
  return orProposing === true && principal.scopes.includes('catalog:propose');
}

/** The secret of the session of a request of our own pages. @throws DomainError unauthorized or forbidden */
function cookieOf(
  ctx: Context | ApiContext,
  services: Authorizing,
  refused: Refused,
  kind: CookieKind,
): string | undefined {
  const secret = sentSecret(ctx.req, services.publicUrl(), kind);
  if (secret === undefined) return undefined;
  try {
    requireOwnPage(ctx, services);
  } catch (error) {
    refused('FOREIGN_ORIGIN', ANONYMOUS);
    throw error;
  }
  return secret;
}

function sentToken(request: IncomingMessage, basicToo: boolean): string | undefined {
  const header = singleHeader(request, 'authorization');
  if (header === undefined) return undefined;
  const bearer = /^bearer +([^\s]+) *$/i.exec(header)?.[1];
  return bearer ?? (basicToo ? basicCredentials(header)?.password : undefined);
}
