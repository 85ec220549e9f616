/** The Koa application: middleware, routes, dashboard. It does not listen itself, so tests can run it on port 0. */
import Koa from 'koa';
import { createSiteDirectory } from '../domain/access/sites.js';
import { createConsolePages } from './console-pages.js';
import type { Route } from './define-route.js';
import { dispatch, type RequestServices } from './dispatch.js';
import { createBodyBudget } from './limits/body-budget.js';
import { createFairShare, shareLimits } from './limits/fair-share.js';
import { checkAddress } from './middleware/check-address.js';
import { allowOrigins } from './middleware/cross-origin.js';
import { createDashboard } from './middleware/dashboard.js';
import { drainRequest } from './middleware/drain-request.js';
import { answerLateErrors, errorResponse } from './middleware/error-response.js';
import { refuseWhenTooOld } from './middleware/refuse-when-too-old.js';
import { requestLog } from './middleware/request-log.js';
import { traceRequest } from './middleware/trace-request.js';
import { createOperatorPages } from './operator-pages.js';
import type { ApiState } from './request-state.js';
import { assembleRouter, unanswered } from './router.js';
import { routes as allRoutes } from './routes/index.js';
import type { ApiServices } from './services.js';

/** Requests without a token have small bodies; their budget is this part of that of the others, and beside it. */
const OPEN_BUDGET_PART = 16;

/** @param routes the registry; tests may pass routes of their own */
export function createApp(services: ApiServices, routes: readonly Route[] = allRoutes): Koa<ApiState> {
  const app = new Koa<ApiState>();
  const requestServices: RequestServices = {
    sites: createSiteDirectory(services.db),
    budget: createBodyBudget(services.config.bodyBudgetBytes),
    openBudget: createBodyBudget(services.config.bodyBudgetBytes / OPEN_BUDGET_PART),
    addresses: services.addresses,
    recorder: services.recorder,
    share: createFairShare(shareLimits(services.config.databasePoolMax)),
  };
  const router = assembleRouter(routes, (route) => dispatch(route, requestServices, services));
  answerLateErrors(app, services);
  app.use(traceRequest);
  app.use(requestLog(services, routes));
  app.use(allowOrigins(services.config.corsOrigins));
  app.use(drainRequest);
  app.use(closeWhenStopping(services.stopping));
  app.use(errorResponse(services));
  app.use(refuseWhenTooOld(services.readiness.release));
  app.use(checkAddress);
  app.use(createDashboard(services));
  app.use(createOperatorPages(services, requestServices));
  app.use(createConsolePages(services));
  app.use(router.routes());
  app.use(unanswered(router));
  return app;
}

/** A stopping process asks its clients to open a new connection, which another process accepts. */
function closeWhenStopping(stopping: AbortSignal): Koa.Middleware {
  return async (ctx, next) => {
    await next();
    if (stopping.aborted && !ctx.res.headersSent) ctx.set('Connection', 'close');
  };
}
