/** Serves the pages for operators at /admin, and knows operators: by a token, or by it as the password of Basic. */
import type { Middleware, Next } from 'koa';
import { z } from 'zod';
import type { Actor } from '../domain/access/audit.js';
import { DomainError } from '../domain/kernel/errors.js';
import { answerPage, errorPage, isOperatorPage, outagePage } from '../operator/pages.js';
import { actorOf } from './audit-trail.js';
import { authorize } from './authorize.js';
import { noteRefusedToken, type RequestServices } from './dispatch.js';
import { factsOf } from './error-facts.js';
import { HttpProblem } from './http-problem.js';
import { isOwnOrigin } from './own-origin.js';
import { singleHeader } from './request-headers.js';
import { type ApiContext, stateOf } from './request-state.js';
import { readRouteBody } from './route-body.js';
import type { ApiServices } from './services.js';

/** What forms send: names with one value each. */
const FORM = { form: z.record(z.string().max(100), z.string().max(2_000)) };

/** Tells the console of this browser that its user has been here, so that it shows the way back. It allows nothing. */
const SEEN = 'longshore_operator=1; Path=/console; Max-Age=31536000; SameSite=Strict';

/** Answers every request of these pages and passes on all others. */
export function createOperatorPages(services: ApiServices, { budget }: RequestServices): Middleware {
  return async (ctx, next: Next) => {
    if (!isOperatorPage(ctx.path)) return next();
    Object.assign(stateOf(ctx), { family: 'operator', route: '/admin' });
    let actor: Actor;
    try {
      actor = await authorizeOperator(ctx, services, '/admin');
    } catch (error) {
      // Without the database or its tables there are no tokens: the page says at least what is wrong.
      const shown = factsOf(error).cause === 'request' ? null : outagePage(services.readiness.parts());
      if (shown === null) throw error;
      show(ctx, shown);
      return;
    }
    ctx.set('Set-Cookie', SEEN);
    const { method, path } = ctx;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && method !== 'POST') {
      throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', 'this address supports GET, HEAD, POST', {
        Allow: 'GET, HEAD, POST',
      });
    }
    try {
      if (!isRead) requireOwnOrigin(ctx, services);
      const { body } = isRead ? { body: {} } : await readRouteBody(ctx, { body: FORM }, budget, actor.id ?? '');
      const query = new URLSearchParams(ctx.querystring);
      const form = body as Readonly<Record<string, string>>;
      show(ctx, await answerPage(services, { method: isRead ? 'GET' : method, path, query, form, actor }));
    } catch (error) {
      const { status, message, cause } = factsOf(error);
      if (cause !== 'request') throw error;
      show(ctx, errorPage(status, message));
    }
  };
}

function show(ctx: ApiContext, { status, type, body, headers }: Awaited<ReturnType<typeof answerPage>>): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.type = type;
  ctx.body = body;
}

/** @param page what the audit log names when the token is refused @throws DomainError unauthorized or forbidden */
export async function authorizeOperator(ctx: ApiContext, services: ApiServices, page: string): Promise<Actor> {
  const state = stateOf(ctx);
  const { recorder } = services;
  const operator = await authorize(ctx, { scope: 'operator' }, services, (why, whose) =>
    noteRefusedToken(recorder, state, whose, why, `${ctx.method} ${page}`),
  );
  if (operator.kind === 'operator') {
    state.tokenId = operator.tokenId;
    recorder.used(operator.tokenId);
  }
  return actorOf(operator, state);
}

/**
 * A browser sends Basic credentials with requests of any page, so only our own pages may write.
 * @throws DomainError forbidden
 */
export function requireOwnOrigin(ctx: ApiContext, services: ApiServices): void {
  const origin = singleHeader(ctx.req, 'origin');
  const ambient = /^basic /i.test(ctx.get('Authorization'));
  if (origin === undefined ? ambient : !isOwnOrigin(ctx, services, origin)) {
    throw new DomainError('forbidden', 'FOREIGN_ORIGIN', 'the dashboard accepts writes from its own pages only');
  }
}
