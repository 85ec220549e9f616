/** Gives a request its id and its logger, and writes one log line when it has ended. */
import { randomUUID } from 'node:crypto';
import type { Next } from 'koa';
import type { Logger } from '../../platform/logger.js';
import type { ClientAddresses } from '../client-address.js';
import type { ApiContext } from '../dispatch.js';
import { familyOfPath } from '../error-body.js';
import { sentRequestId } from '../request-headers.js';

const MAX_LOGGED_PATH = 300;
/** Monitoring requests these paths every few seconds, so they are logged at debug level only. */
const QUIET_PATHS = new Set(['/healthz', '/readyz', '/metrics']);
/** Browsers that have come by TLS come by nothing else for half a year. */
const STRICT_TRANSPORT = 'max-age=15768000';
/** The status that logs conventionally use for a request whose client closed the connection. */
const CLIENT_CLOSED_REQUEST = 499;

/** The middleware that everything else runs inside. */
export function requestLog(logger: Logger, addresses: ClientAddresses) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    const startedAt = process.hrtime.bigint();
    const requestId = sentRequestId(ctx.req) ?? randomUUID();
    ctx.state.requestId = requestId;
    // Read now: once the client has closed the connection, it has no address any more.
    ctx.state.address = addresses.shown(ctx.req);
    ctx.state.log = logger.child({ requestId });
    ctx.state.family = familyOfPath(ctx.path);
    ctx.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    // By the proxy's word only: HSTS without TLS would be ignored, and a client could not undo it with TLS.
    if (addresses.isSecure(ctx.req)) ctx.set('Strict-Transport-Security', STRICT_TRANSPORT);
    ctx.res.once('close', () => {
      const line = {
        method: ctx.method,
        // The query is left out, because it may contain the signature of a URL.
        path: ctx.path.slice(0, MAX_LOGGED_PATH),
        status: ctx.res.writableFinished ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST,
        durationMs: Math.round(Number(process.hrtime.bigint() - startedAt) / 1e5) / 10,
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
