/** Who is asking, and may they: credentials, scope, and the data set they name. */
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../domain/access/authenticate.js';
import { parseSiteContext, productionOf } from '../domain/access/parse-site-context.js';
import type { Principal } from '../domain/access/principal.js';
import type { SiteContext } from '../domain/access/site-context.js';
import type { SiteDirectory } from '../domain/access/sites.js';
import { DomainError } from '../domain/kernel/errors.js';
import { basicCredentials } from './basic-credentials.js';
import type { DataSetSource, RouteAuth } from './define-route.js';
import { singleHeader } from './request-headers.js';

const ANONYMOUS: Principal = { kind: 'anonymous' };

/**
 * The caller of a route. An operator's token opens operators' routes and nothing else, and nothing else opens those;
 * there it may also come as the password of Basic, for browsers.
 * @throws DomainError unauthorized or forbidden
 */
export async function authorize(request: IncomingMessage, auth: RouteAuth, tokens: Authenticator): Promise<Principal> {
  if (!('scope' in auth)) return ANONYMOUS;
  const token = sentToken(request, auth.scope === 'operator');
  if (token === undefined) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'send a token: Authorization: Bearer <token>');
  }
  const principal = await tokens.authenticate(token);
  if (principal === null) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'the token is unknown, expired or revoked');
  }
  const allowed =
    principal.kind === 'operator'
      ? auth.scope === 'operator'
      : auth.scope !== 'operator' && principal.scopes.includes(auth.scope);
  if (!allowed) throw new DomainError('forbidden', 'FORBIDDEN', `this token does not have the scope ${auth.scope}`);
  return principal;
}

/**
 * The data set that a request names; undefined on routes that work on none.
 * @throws DomainError invalid (the header), or forbidden when the account is not the caller's
 */
export async function dataSetOf(
  request: IncomingMessage,
  source: DataSetSource,
  principal: Principal,
  sites: SiteDirectory,
): Promise<SiteContext | undefined> {
  if (source === false) return undefined;
  const tenant = source === 'tenant-key' ? tenantKeyOf(request, principal) : undefined;
  const header = singleHeader(request, 'x-site-context');
  const selector = tenant !== undefined && header === undefined ? productionOf(tenant) : parseSiteContext(header);
  requireOwn(principal, selector.accountId, 'x-site-context');
  return { ...selector, siteId: await sites.resolve(selector.accountId, selector.stage) };
}

/** The account that tenant-key names. */
function tenantKeyOf(request: IncomingMessage, principal: Principal): string {
  const key = singleHeader(request, 'tenant-key')?.trim() ?? '';
  if (key === '') {
    throw new DomainError('invalid', 'TENANT_KEY_MISSING', "the tenant-key header is required: your account's id");
  }
  requireOwn(principal, key, 'tenant-key');
  return key;
}

function requireOwn(principal: Principal, accountId: string, header: string): void {
  if (principal.kind === 'account' && principal.accountId === accountId) return;
  throw new DomainError('forbidden', 'FORBIDDEN', `${header} names an account that is not the token's`);
}

function sentToken(request: IncomingMessage, basicToo: boolean): string | undefined {
  const header = singleHeader(request, 'authorization');
  if (header === undefined) return undefined;
  const bearer = /^bearer +([^\s]+) *$/i.exec(header)?.[1];
  return bearer ?? (basicToo ? basicCredentials(header)?.password : undefined);
}
