/** Answers an error in the shape of its area. The only place that turns errors into responses. */
import type { Context, Next } from 'koa';
import { errorBody } from './error-body.js';
import { type ErrorFacts, factsOf } from './error-facts.js';
import { ClientGone } from './http-problem.js';
import { type ApiContext, stateOf } from './state.js';

const MAX_DETAIL_CHARACTERS = 500;

const CHALLENGES: Readonly<Record<'bearer' | 'dashboard' | 'oauth', string[]>> = {
  bearer: ['Bearer'],
  dashboard: ['Basic realm="Longshore operators", charset="UTF-8"', 'Bearer'],
  oauth: ['Basic realm="Longshore OAuth clients", charset="UTF-8"'],
};

/** Catches whatever the rest of the application throws. */
export async function errorResponse(ctx: ApiContext, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    respondWithError(ctx, error);
  }
}

/**
 * Writes an error to the response. Koa's own `ctx.onerror` leads here too, so that a stream that fails before its first
 * byte is answered in the same shape; once bytes are out, the connection is cut instead.
 */
export function respondWithError(ctx: Context | ApiContext, error: unknown): void {
  const { log, family } = stateOf(ctx);
  if (isClientGone(ctx, error)) {
    log.debug('the client went away');
    ctx.res.destroy();
    return;
  }
  const facts = factsOf(error);
  if (facts.ours) log.error({ err: error, status: facts.status }, 'a request failed');
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

/** What the fixed texts of notifications leave unsaid, in the characters that a header can carry. */
function detailOf({ code, message }: ErrorFacts): string {
  return `${code}: ${message}`.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_DETAIL_CHARACTERS);
}

function isClientGone(ctx: Context | ApiContext, error: unknown): boolean {
  if (error instanceof ClientGone) return true;
  return ctx.req.destroyed && !ctx.req.complete;
}

function challengeOf(ctx: Context | ApiContext): string[] {
  if (ctx.path.startsWith('/admin/')) return CHALLENGES.dashboard;
  return stateOf(ctx).family === 'oauth' ? CHALLENGES.oauth : CHALLENGES.bearer;
}
