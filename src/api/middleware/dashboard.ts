/** The dashboard: Bull Board at /admin/queues, for operators only, read-only unless configured otherwise. */
import type { Middleware, Next } from 'koa';
import type { Db } from '../../../db/connection.js';
import { livingProcesses } from '../../../db/heartbeats.js';
import { recordAudit } from '../../domain/access/audit.js';
import { queues } from '../../queues/index.js';
import { HttpProblem } from '../http-problem.js';
import { authorizeOperator, requireOwnOrigin } from '../operator-pages.js';
import { stateOf } from '../request-state.js';
import type { ApiServices } from '../services.js';

const DASHBOARD_PATH = '/admin/queues';
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** The pages request a font from another host. It is blocked, and they fall back to another font. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/** Answers every request under the dashboard's path and passes on all others. */
export function createDashboard(services: ApiServices): Middleware {
  const writable = services.config.dashboardWritable;
  const openBoard = boardOnDemand(services);
  return async (ctx, next: Next) => {
    if (ctx.path !== DASHBOARD_PATH && !ctx.path.startsWith(`${DASHBOARD_PATH}/`)) return next();
    ctx.state.family = 'operator';
    stateOf(ctx).route = DASHBOARD_PATH;
    const asked = `${ctx.method} ${ctx.path}`;
    const actor = await authorizeOperator(ctx, services, DASHBOARD_PATH);
    if (!SAFE_METHODS.has(ctx.method)) {
      requireWritable(writable);
      requireOwnOrigin(ctx, services);
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
