/** Finds the trace that a request belongs to, and makes a span of the request when tracing is on. */
import type { Next } from 'koa';
import { tracing } from '../../platform/tracing.js';
import { sentTraceparent } from '../request-headers.js';
import type { ApiContext } from '../request-state.js';
import { CLIENT_CLOSED_REQUEST, QUIET_PATHS } from './request-log.js';

const SERVER_ERROR = 500;

/** Runs outside of the request log, which names the trace. */
export async function traceRequest(ctx: ApiContext, next: Next): Promise<void> {
  const sent = sentTraceparent(ctx.req);
  ctx.state.traceparent = sent;
  const tracer = tracing();
  if (tracer === undefined || QUIET_PATHS.has(ctx.path)) return next();
  const { method } = ctx;
  const span = tracer.start({ name: method, kind: 'server', parent: sent });
  ctx.state.traceparent = span.traceparent;
  ctx.res.once('close', () => {
    const { route, requestId } = ctx.state;
    const status = ctx.res.writableFinished ? ctx.res.statusCode : CLIENT_CLOSED_REQUEST;
    // The template of the route: its address may contain a SKU.
    span.end({
      name: route === undefined ? method : `${method} ${route}`,
      failed: status >= SERVER_ERROR,
      attributes: {
        'http.request.method': method,
        'http.response.status_code': status,
        'longshore.request_id': requestId,
        ...(route === undefined ? {} : { 'http.route': route }),
      },
    });
  });
  await span.run(next);
}
