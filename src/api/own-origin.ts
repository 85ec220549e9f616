/** Refuses requests that pages of other origins send with the cookie of a session. */
import type { Context } from 'koa';
import { DomainError } from '../domain/kernel/errors.js';
import { singleHeader } from './request-headers.js';
import type { ApiContext } from './request-state.js';
import type { ApiServices } from './services.js';

type Addressed = Pick<ApiServices, 'publicUrl' | 'addresses'>;

/** The origin of our own pages: that of the public URL, and that to which the request was sent. */
export function isOwnOrigin(ctx: Context | ApiContext, { publicUrl, addresses }: Addressed, origin: string): boolean {
  const protocol = addresses.isSecure(ctx.req) ? 'https' : ctx.protocol;
  return origin === new URL(publicUrl()).origin || origin === `${protocol}://${ctx.host}`;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** `none`: the person has typed the address. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Browsers send the cookie with a request of a page on another port of the same host, too. They say where the page is
 * from: with each request that may change something in Origin, and the newer ones with all requests in Sec-Fetch-Site.
 * @param without what becomes of a request that may change something and does not say it
 * @throws DomainError forbidden FOREIGN_ORIGIN
 */
export function requireOwnPage(
  ctx: Context | ApiContext,
  services: Addressed,
  without: 'refused' | 'accepted' = 'refused',
): void {
  const origin = singleHeader(ctx.req, 'origin');
  const site = singleHeader(ctx.req, 'sec-fetch-site');
  const isUnsaid = origin === undefined && !SAFE_METHODS.has(ctx.method) && without === 'refused';
  const isForeign = origin !== undefined && !isOwnOrigin(ctx, services, origin);
  if (!isUnsaid && !isForeign && (site === undefined || OWN_SITES.has(site))) return;
  const message = isUnsaid
    ? 'a request with the cookie of a session that may change something must name its origin: send the header Origin, or a token instead of the cookie'
    : "the cookie of a session is accepted from the service's own pages only; pages of other origins send a token";
  throw new DomainError('forbidden', 'FOREIGN_ORIGIN', message);
}
