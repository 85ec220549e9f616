/** The Koa application: middleware, routes, dashboard. It opens nothing itself, so that a test can run it on port 0. */
import Koa from 'koa';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { createSiteDirectory } from '../domain/access/sites.js';
import { assembleRouter, unanswered } from './assemble-router.js';
import { createBodyBudget } from './body-budget.js';
import type { ApiServices } from './context.js';
import { createDashboard } from './dashboard.js';
import type { Route } from './define-route.js';
import { type Doors, dispatch } from './dispatch.js';
import { errorResponse, respondWithError } from './error-response.js';
import { checkAddress } from './middleware/check-address.js';
import { drainRequest } from './middleware/drain-request.js';
import { requestLog } from './middleware/request-log.js';
import { routes as allRoutes } from './routes/index.js';
import { type ApiState, stateOf } from './state.js';

/** @param routes the registry; tests may bring routes of their own */
export function createApp(services: ApiServices, routes: readonly Route[] = allRoutes): Koa<ApiState> {
  const app = new Koa<ApiState>();
  const doors: Doors = {
    tokens: createAuthenticator(services.db),
    sites: createSiteDirectory(services.db),
    budget: createBodyBudget(services.config.bodyBudgetBytes),
  };
  const router = assembleRouter(routes, (route) => dispatch(route, doors, services));
  answerLateErrors(app);
  app.use(requestLog(services.logger));
  app.use(drainRequest);
  app.use(closeWhenStopping(services.stopping));
  app.use(errorResponse);
  app.use(checkAddress);
  app.use(createDashboard(services, doors.tokens));
  app.use(router.routes());
  app.use(unanswered(router));
  return app;
}

/** Errors that come after the middleware has ended: a stream that broke, a client that left during an answer. */
function answerLateErrors(app: Koa<ApiState>): void {
  app.context.onerror = function onerror(this: Koa.Context, error: Error | null | undefined): void {
    if (error === null || error === undefined) return;
    if (this.res.headersSent || !this.writable) {
      stateOf(this).log.debug({ err: error }, 'an answer was cut short');
      this.res.destroy();
      return;
    }
    respondWithError(this, error);
    this.res.end(this.body);
  };
  // Of what a mounted application (the dashboard) reports, its own answer tells the client.
  app.on('error', (error: Error, ctx?: Koa.Context) => {
    if (ctx !== undefined) stateOf(ctx).log.warn({ err: error }, 'the dashboard could not answer');
  });
}

/** A stopping process asks its clients to come back on a new connection, which another process takes. */
function closeWhenStopping(stopping: AbortSignal): Koa.Middleware {
  return async (ctx, next) => {
    await next();
    if (stopping.aborted && !ctx.res.headersSent) ctx.set('Connection', 'close');
  };
}
