/** The router: which route answers a request, and what is answered when there is none. */
import Router from '@koa/router';
import type { Middleware, Next } from 'koa';
import type { Route } from './define-route.js';
import { HttpProblem } from './http-problem.js';
import type { ApiContext } from './request-state.js';

/** @param handlerOf makes the handler of a route */
export function assembleRouter(routes: readonly Route[], handlerOf: (route: Route) => Middleware): Router {
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
export function unanswered(router: Router) {
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
