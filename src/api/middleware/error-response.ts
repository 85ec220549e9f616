/** Makes the error responses; no other file does. */

import type Koa from 'koa';
import type { Context, Next } from 'koa';
import { logOutage } from '../../platform/outage-log.js';
import { errorBody } from '../error-body.js';
import { type ErrorFacts, factsOf } from '../error-facts.js';
import { ClientGone } from '../http-problem.js';
import { type ApiContext, type ApiState, stateOf } from '../request-state.js';
import type { ApiServices } from '../services.js';

/** Handles errors that occur after the middleware has ended: a stream breaks, or a client leaves during an answer. */
export function answerLateErrors(app: Koa<ApiState>, services: Failing): void {
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

const MAX_DETAIL_CHARACTERS = 500;

const CHALLENGES: Readonly<Record<'bearer' | 'dashboard' | 'oauth', string[]>> = {
  bearer: ['Bearer'],
  dashboard: ['Basic realm="Longshore operators", charset="UTF-8"', 'Bearer'],
  oauth: ['Basic realm="Longshore OAuth clients", charset="UTF-8"'],
};

type Failing = Pick<ApiServices, 'logger' | 'readiness'>;

/** Catches everything that the rest of the application throws. */
export function errorResponse(services: Failing) {
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
