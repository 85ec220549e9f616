/** Bull Board at /admin/queues: every queue, for operators only, read-only unless configured otherwise. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Middleware, Next } from 'koa';
import type { Authenticator } from '../domain/access/authenticate.js';
import { DomainError } from '../domain/kernel/errors.js';
import type { ApiServices } from './context.js';
import { authorize } from './define-route.js';
import type { ApiContext } from './dispatch.js';
import { HttpProblem } from './http-problem.js';
import { singleHeader } from './request-headers.js';

const DASHBOARD_PATH = '/admin/queues';
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** Its pages ask for a font of another host, and fall back when they do not get it: nothing leaves this machine. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/** Answers everything under its path and passes the rest on. */
export function createDashboard(services: ApiServices, tokens: Authenticator): Middleware {
  const writable = services.config.dashboardWritable;
  const adapter = new KoaAdapter().setBasePath(DASHBOARD_PATH);
  let shown = services.producer.queues();
  const adapters = () => shown.map((queue) => new BullMQAdapter(queue, { readOnlyMode: !writable }));
  const { replaceQueues } = createBullBoard({
    queues: adapters(),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Longshore queues' } },
  });
  const board = adapter.registerPlugin();
  return async (ctx, next: Next) => {
    if (ctx.path !== DASHBOARD_PATH && !ctx.path.startsWith(`${DASHBOARD_PATH}/`)) return next();
    ctx.state.family = 'operator';
    await authorize(ctx.req, { scope: 'operator' }, tokens);
    if (!SAFE_METHODS.has(ctx.method)) requireOwnWrite(ctx, writable, services.publicUrl());
    ctx.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    });
    const present = services.producer.queues();
    if (present !== shown) {
      shown = present;
      replaceQueues(adapters());
    }
    return board(ctx, next);
  };
}

/** A browser sends Basic credentials by itself, whoever's page asks: only the dashboard's own pages may write. */
function requireOwnWrite(ctx: ApiContext, writable: boolean, publicUrl: string): void {
  if (!writable) {
    throw new HttpProblem(405, 'READ_ONLY', 'the dashboard is read-only; DASHBOARD_WRITABLE=1 changes that', {
      Allow: 'GET, HEAD',
    });
  }
  const origin = singleHeader(ctx.req, 'origin');
  const own = [new URL(publicUrl).origin, `${ctx.protocol}://${ctx.host}`];
  const ambient = /^basic /i.test(ctx.get('Authorization'));
  if (origin === undefined ? ambient : !own.includes(origin)) {
    throw new DomainError('forbidden', 'FOREIGN_ORIGIN', 'the dashboard takes writes from its own pages only');
  }
}
