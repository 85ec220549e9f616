/** Gives a request its id and its logger, and writes one log line and counts it when it has ended. */
import { randomUUID } from 'node:crypto';
import type { Next } from 'koa';
import { familyOfPath } from '../error-body.js';
import { sentRequestId } from '../request-headers.js';
import type { ApiContext } from '../request-state.js';
import type { ApiServices } from '../services.js';

/** Longer paths of unknown addresses are cut. */
const MAX_SEGMENTS = 12;
/** An identifier of ours. Other parts of an address may be keys of the client, such as a SKU. */
const OUR_ID = /^[0-9a-f]{24}$/;
/** Parts of addresses that are not routes: the pages for operators, the dashboard and the console. */
const WORDS_OF_PAGES = ['admin', 'queues', 'work', 'endpoints', 'fleet', 'stop', 'style.css', 'console', 'assets'];
/** Monitoring requests these paths every few seconds, so they are logged at debug level only. */
export const QUIET_PATHS = new Set(['/healthz', '/readyz', '/metrics']);
/** Browsers that have come by TLS come by nothing else for half a year. */
const STRICT_TRANSPORT = 'max-age=15768000';
/** The status that logs conventionally use for a request whose client closed the connection. */
export const CLIENT_CLOSED_REQUEST = 499;

/** Where the id of the trace is in a traceparent. */
const TRACE_ID = [3, 35] as const;

/**
 * The middleware that everything else runs inside.
 * @param routes whose words may be logged as they are
 */
export function requestLog(
  { logger, addresses, metrics }: Pick<ApiServices, 'logger' | 'addresses' | 'metrics'>,
  routes: readonly { readonly path: string }[],
) {
  const words = new Set([...routes.flatMap(({ path }) => path.split('/')), ...WORDS_OF_PAGES]);
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    const startedAt = process.hrtime.bigint();
    const requestId = sentRequestId(ctx.req) ?? randomUUID();
    ctx.state.requestId = requestId;
    // Read now: once the client has closed the connection, it has no address any more.
    ctx.state.address = addresses.shown(ctx.req);
    const { traceparent } = ctx.state;
    ctx.state.log = logger.child({
      requestId,
      ...(traceparent === null ? {} : { traceId: traceparent.slice(...TRACE_ID) }),
    });
    ctx.state.family = familyOfPath(ctx.path);
    ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    // By the proxy's word only: HSTS without TLS would be ignored, and a client could not undo it with TLS.
    if (addresses.isSecure(ctx.req)) ctx.set('Strict-Transport-Security', STRICT_TRANSPORT);
    ctx.res.once('close', () => {
      const status = ctx.res.writableFinished ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST;
      const durationMs = Math.round(Number(process.hrtime.bigint() - startedAt) / 1e5) / 10;
      metrics.requestDone(ctx.state.route ?? 'none', ctx.method, status, durationMs / 1000);
      const line = {
        method: ctx.method,
        // The query is left out, because it may contain the signature of a URL.
        path: shownPath(ctx.path, ctx.state.route, words),
        status,
        durationMs,
        account: ctx.state.accountId,
        token: ctx.state.tokenId,
        address: ctx.state.address,
      };
      if (QUIET_PATHS.has(ctx.path)) ctx.state.log.debug(line, 'request');
      else ctx.state.log.info(line, 'request');
    });
    await next();
  };
}

/**
 * The path with its identifiers, and without what a client has chosen: of a route with the names of these parameters, of
 * an unknown address with a `*` for each part that is in no route.
 */
function shownPath(path: string, route: string | undefined, words: ReadonlySet<string>): string {
  const template = route?.split('/') ?? [];
  const segments = path.split('/');
  const isOfRoute = template.length === segments.length;
  return segments
    .slice(0, MAX_SEGMENTS)
    .map((segment, nth) => {
      if (OUR_ID.test(segment)) return segment;
      const name = isOfRoute ? template[nth] : undefined;
      if (name?.startsWith(':') === true) return name;
      return words.has(segment) ? segment : '*';
    })
    .join('/');
}
