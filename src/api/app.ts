/** The Koa application: middleware, routes, dashboard. It does not listen itself, so tests can run it on port 0. */

import Router from '@koa/router';
import type { Context, Middleware, Next } from 'koa';
import Koa from 'koa';
import type { Db } from '../../db/connection.js';
import { livingProcesses } from '../../db/heartbeats.js';
import { recordAudit } from '../domain/access/audit.js';
import { type Authenticator, createAuthenticator } from '../domain/access/authenticate.js';
import { createSiteDirectory } from '../domain/access/sites.js';
import { logOutage } from '../platform/outage-log.js';
import { queues } from '../queues/index.js';
import { createBodyBudget } from './body-budget.js';
import type { Route } from './define-route.js';
import { type ApiContext, type ApiState, dispatch, type RequestServices, stateOf } from './dispatch.js';
import { errorBody } from './error-body.js';
import { type ErrorFacts, factsOf } from './error-facts.js';
import { createFairShare, shareLimits } from './fair-share.js';
import { ClientGone, HttpProblem } from './http-problem.js';
import { isStorableText } from './json-text.js';
import { allowOrigins } from './middleware/cross-origin.js';
import { refuseWhenTooOld } from './middleware/refuse-when-too-old.js';
import { requestLog } from './middleware/request-log.js';
import { traceRequest } from './middleware/trace-request.js';
import { authorizeOperator, createOperatorPages, requireOwnOrigin } from './operator-pages.js';
import { decodePercent } from './route-body.js';
import { routes as allRoutes } from './routes/index.js';
import type { ApiServices } from './services.js';

/** Requests without a token have small bodies; their budget is this part of that of the others, and beside it. */
const OPEN_BUDGET_PART = 16;

/** @param routes the registry; tests may pass routes of their own */
export function createApp(services: ApiServices, routes: readonly Route[] = allRoutes): Koa<ApiState> {
  const app = new Koa<ApiState>();
  const requestServices: RequestServices = {
    tokens: createAuthenticator(services.db),
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
  app.use(createDashboard(services, requestServices.tokens));
  app.use(createOperatorPages(services, requestServices));
  app.use(router.routes());
  app.use(unanswered(router));
  return app;
}

/** Handles errors that occur after the middleware has ended: a stream breaks, or a client leaves during an answer. */
function answerLateErrors(app: Koa<ApiState>, services: Failing): void {
  app.context.onerror = function onerror(this: Koa.Context, error: Error | null | undefined): void {
    if (error === null || error === undefined) return;
    if (this.res.headersSent || !this.writable) {
      stateOf(this).log.debug({ err: error }, 'the answer was interrupted');
      this.res.destroy();
      return;
    }
    respondWithError(this, error, services);
    this.res.end(this.body);
  };
  // The mounted application (the dashboard) has answered the client itself; its error only has to be logged.
  app.on('error', (error: Error, ctx?: Koa.Context) => {
    if (ctx !== undefined) stateOf(ctx).log.warn({ err: error }, 'the dashboard could not answer');
  });
}

/** A stopping process asks its clients to open a new connection, which another process accepts. */
function closeWhenStopping(stopping: AbortSignal): Koa.Middleware {
  return async (ctx, next) => {
    await next();
    if (stopping.aborted && !ctx.res.headersSent) ctx.set('Connection', 'close');
  };
}

// The router

/** @param handlerOf makes the handler of a route */
function assembleRouter(routes: readonly Route[], handlerOf: (route: Route) => Middleware): Router {
  const router = new Router({ sensitive: true });
  for (const route of [...routes].sort(bySpecificity)) {
    router.register(route.path, [route.method.toLowerCase()], handlerOf(route));
  }
  return router;
}

/** Sorts `/product/attribute` before `/product/:sku`, because the first route that matches answers. */
function bySpecificity(a: Route, b: Route): number {
  return parameterCount(a.path) - parameterCount(b.path);
}

function parameterCount(path: string): number {
  return path.split(/[:*]/).length - 1;
}

/** The last middleware: no route has answered. It answers 405 if the address supports other methods, else 404. */
function unanswered(router: Router) {
  return async (ctx: ApiContext, _next: Next): Promise<void> => {
    const allowed = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))].sort();
    if (allowed.length === 0) {
      throw new HttpProblem(404, 'PATH_NOT_FOUND', 'there is nothing at this address; /docs lists all operations');
    }
    const allow = allowed.join(', ');
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', allow);
      ctx.status = 204;
      return;
    }
    throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', `this address supports ${allow}`, { Allow: allow });
  };
}

// Error responses: this is the only place that makes them

const MAX_DETAIL_CHARACTERS = 500;

const CHALLENGES: Readonly<Record<'bearer' | 'dashboard' | 'oauth', string[]>> = {
  bearer: ['Bearer'],
  dashboard: ['Basic realm="Longshore operators", charset="UTF-8"', 'Bearer'],
  oauth: ['Basic realm="Longshore OAuth clients", charset="UTF-8"'],
};

type Failing = Pick<ApiServices, 'logger' | 'readiness'>;

/** Catches everything that the rest of the application throws. */
function errorResponse(services: Failing) {
  return async (ctx: ApiContext, next: Next): Promise<void> => {
    try {
      await next();
    } catch (error) {
      respondWithError(ctx, error, services);
    }
  };
}

/**
 * Writes an error to the response. Koa's own `ctx.onerror` calls this too, so that a stream that fails before its first
 * byte is answered in the same shape. Once bytes were sent, the connection is closed instead.
 * @param logger that of the process, for outages, which are not logged for each request
 */
function respondWithError(ctx: Context | ApiContext, error: unknown, { logger, readiness }: Failing): void {
  const { log, family } = stateOf(ctx);
  if (isClientGone(ctx, error)) {
    log.debug('the client closed the connection');
    ctx.res.destroy();
    return;
  }
  const facts = factsOf(error);
  if (facts.cause === 'fault') log.error({ err: error, status: facts.status }, 'a request failed');
  if (facts.cause === 'outage') {
    logOutage(logger, 'requests', error, 'requests are answered with 503');
    readiness.noteFailure(error);
  }
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  for (const name of ['Content-Length', 'Content-Encoding', 'Content-Disposition', 'Location', 'ETag'])
    ctx.remove(name);
  ctx.set({ ...facts.headers });
  if (family === 'notification') ctx.set('X-Error-Detail', detailOf(facts));
  if (facts.status === 401) ctx.set('WWW-Authenticate', challengeOf(ctx));
  ctx.status = facts.status;
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(errorBody(family, facts));
}

/** The details that the fixed texts of notifications do not contain, in characters that are allowed in a header. */
function detailOf({ code, message }: ErrorFacts): string {
  return `${code}: ${message}`.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_DETAIL_CHARACTERS);
}

function isClientGone(ctx: Context | ApiContext, error: unknown): boolean {
  if (error instanceof ClientGone) return true;
  return ctx.req.destroyed && !ctx.req.complete;
}

function challengeOf(ctx: Context | ApiContext): string[] {
  const isOperators = ctx.path === '/admin' || ctx.path.startsWith('/admin/') || ctx.path === '/metrics';
  if (isOperators) return CHALLENGES.dashboard;
  return stateOf(ctx).family === 'oauth' ? CHALLENGES.oauth : CHALLENGES.bearer;
}

// The dashboard: Bull Board at /admin/queues, for operators only, read-only unless configured otherwise

const DASHBOARD_PATH = '/admin/queues';
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** The pages request a font from another host. It is blocked, and they fall back to another font. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/** Answers every request under the dashboard's path and passes on all others. */
function createDashboard(services: ApiServices, tokens: Authenticator): Middleware {
  const writable = services.config.dashboardWritable;
  const openBoard = boardOnDemand(services);
  return async (ctx, next: Next) => {
    if (ctx.path !== DASHBOARD_PATH && !ctx.path.startsWith(`${DASHBOARD_PATH}/`)) return next();
    ctx.state.family = 'operator';
    stateOf(ctx).route = DASHBOARD_PATH;
    const asked = `${ctx.method} ${ctx.path}`;
    const actor = await authorizeOperator(ctx, services.recorder, tokens, DASHBOARD_PATH);
    if (!SAFE_METHODS.has(ctx.method)) {
      requireWritable(writable);
      requireOwnOrigin(ctx, services.publicUrl());
      // Before the change: the queue's engine has transactions of its own, or none.
      await recordAudit(services.db, [{ actor, accountId: null, action: 'QUEUES_CHANGED', target: asked }]);
    }
    ctx.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    });
    const board = await openBoard();
    return board(ctx, next);
  };
}

/**
 * Loads Bull Board with the first request to it: with the BullMQ of its own that it brings along, it was a third of what
 * the start of a process cost, and most processes show it to nobody.
 */
function boardOnDemand({ config, db, producer }: ApiServices): () => Promise<Middleware> {
  async function load() {
    const [{ createBullBoard }, { BullMQAdapter }, { KoaAdapter }] = await Promise.all([
      import('@bull-board/api'),
      import('@bull-board/api/bullMQAdapter'),
      import('@bull-board/koa'),
    ]);
    // BullMQ looks for workers by their connections, but on Postgres all of a process share one.
    class QueueAdapter extends BullMQAdapter {
      override getWorkers = () => workersOf(this.getName(), db);
    }
    const adapter = new KoaAdapter().setBasePath(DASHBOARD_PATH);
    let shown = producer.queues();
    const adapters = () => shown.map((queue) => new QueueAdapter(queue, { readOnlyMode: !config.dashboardWritable }));
    const { replaceQueues } = createBullBoard({
      queues: adapters(),
      serverAdapter: adapter,
      options: { uiConfig: { boardTitle: 'Longshore queues' } },
    });
    const middleware = adapter.registerPlugin();
    return () => {
      const present = producer.queues();
      if (present !== shown) {
        shown = present;
        replaceQueues(adapters());
      }
      return middleware;
    };
  }
  let loading: ReturnType<typeof load> | undefined;
  return async () => {
    loading ??= load();
    // What could not be loaded now is tried again by the next request.
    const present = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return present();
  };
}

/** The living processes that work on a queue, as Bull Board shows them. */
async function workersOf(queue: string, db: Db) {
  const group = Object.values(queues).find(({ name }) => name === queue)?.group;
  const processes = group === undefined ? [] : await livingProcesses(db, group);
  return processes.map(({ id, host, pid, ageSeconds }) => ({
    id,
    name: null,
    addr: `${host}, process ${pid}`,
    age: ageSeconds,
  }));
}

function requireWritable(writable: boolean): void {
  if (writable) return;
  throw new HttpProblem(405, 'READ_ONLY', 'the dashboard is read-only; DASHBOARD_WRITABLE=1 changes that', {
    Allow: 'GET, HEAD',
  });
}

// Refuses addresses that cannot be decoded: malformed percent-encoding, bytes that are not UTF-8, NUL.

async function checkAddress(ctx: ApiContext, next: Next): Promise<void> {
  requireDecodable(ctx.path, 'path');
  requireDecodable(ctx.querystring.replaceAll('+', ' '), 'query');
  await next();
}

function requireDecodable(text: string, part: 'path' | 'query'): void {
  const decoded = decodePercent(text);
  if (decoded !== null && isStorableText(decoded)) return;
  throw new HttpProblem(400, 'ADDRESS_MALFORMED', `the ${part} of the address contains malformed percent-encoding`);
}

// Reads and discards the rest of a body that was refused, for a limited time. If the connection were closed at once,
// the client would see a connection error instead of the answer.

const MAX_DRAIN_MS = 15_000;

async function drainRequest(ctx: ApiContext, next: Next): Promise<void> {
  const { req, res } = ctx;
  res.once('finish', () => {
    if (req.complete || req.destroyed) return;
    req.resume();
    const cut = setTimeout(() => req.destroy(), MAX_DRAIN_MS);
    cut.unref();
    req.once('close', () => clearTimeout(cut));
  });
  await next();
}
