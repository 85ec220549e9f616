/** Lets pages of other origins call the API: those that CORS_ORIGINS names, and never with cookies or passwords of the browser. */
import type { Next } from 'koa';
import type { ApiContext } from '../request-state.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, x-site-context, tenant-key, Idempotency-Key, Prefer, X-Request-Id, traceparent, ' +
  'If-None-Match, Range, Content-Range';
/** What a page may read of an answer, besides what every page may. */
const ANSWER_HEADERS =
  'X-Request-Id, X-Error-Detail, Location, Retry-After, RateLimit, RateLimit-Policy, Preference-Applied, ETag, ' +
  'Content-Disposition, Content-Range, Accept-Ranges, WWW-Authenticate';
const OWN_PAGES = /^\/(?:admin|metrics|console)(?:\/|$)/;
/** How long a browser need not ask again. */
const ASKED_SECONDS = 600;

/** @param origins as browsers send them: scheme, host and port, compared character by character */
export function allowOrigins(origins: readonly string[]) {
  const allowed = new Set(origins);
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    // The pages of operators and the console are called from their own origin only.
    if (allowed.size === 0 || OWN_PAGES.test(ctx.path)) return next();
    ctx.vary('Origin');
    const { origin } = ctx.headers;
    if (origin === undefined || !allowed.has(origin)) return next();
    ctx.set('Access-Control-Allow-Origin', origin);
    if (ctx.method !== 'OPTIONS' || ctx.headers['access-control-request-method'] === undefined) {
      ctx.set('Access-Control-Expose-Headers', ANSWER_HEADERS);
      return next();
    }
    ctx.set({
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(ASKED_SECONDS),
    });
    ctx.status = 204;
  };
}
