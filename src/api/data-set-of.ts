/** Finds the data set that a request names, and refuses those of other accounts. */
import type { IncomingMessage } from 'node:http';
import type { Actor } from '../domain/access/audit.js';
import type { Principal } from '../domain/access/principals.js';
import type { SiteContext } from '../domain/access/site-context.js';
import type { SiteDirectory } from '../domain/access/sites.js';
import { DomainError } from '../domain/kernel/errors.js';
import type { DataSetSource } from './define-route.js';
import { parseSiteContext, productionOf } from './input/parse-site-context.js';
import { singleHeader } from './request-headers.js';

/**
 * The data set that a request names; undefined for routes without one. A stage is created by the first request that may
 * write.
 * @throws DomainError invalid (the header), forbidden when the account is not the caller's, or not-found when a token
 *   that may only read names a stage that does not exist in a request other than GET
 */
export async function dataSetOf(
  request: IncomingMessage,
  source: DataSetSource,
  principal: Principal,
  sites: SiteDirectory,
  actor: Actor,
): Promise<SiteContext | undefined> {
  if (source === false) return undefined;
  const tenant = source === 'tenant-key' ? tenantKeyOf(request, principal) : undefined;
  const header = singleHeader(request, 'x-site-context');
  const selector = tenant !== undefined && header === undefined ? productionOf(tenant) : parseSiteContext(header);
  const { accountId, stage } = selector;
  requireOwn(principal, accountId, 'x-site-context');
  if (SAFE_METHODS.has(request.method ?? '')) return { ...selector, siteId: await sites.find(accountId, stage) };
  if (mayWrite(principal)) return { ...selector, siteId: await sites.resolve(accountId, stage, actor) };
  const siteId = await sites.find(accountId, stage);
  if (siteId > 0) return { ...selector, siteId };
  throw new DomainError(
    'not-found',
    'STAGE_NOT_FOUND',
    `nothing was written to the stage ${stage} yet, so it is empty`,
  );
}

/** Reading creates nothing, not even a stage. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function mayWrite(principal: Principal): boolean {
  return principal.kind === 'account' && principal.scopes.some((scope) => !scope.endsWith(':read'));
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
