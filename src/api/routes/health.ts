/** The endpoints by which a platform sees whether a process is alive and ready. */
import { z } from 'zod';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { readinessOf } from '../readiness.js';

// GET /healthz: the process answers. It checks nothing else, so that it answers at once in every situation.

const alive = defineRoute({
  method: 'GET',
  path: '/healthz',
  family: 'operator',
  tag: 'Operations',
  summary: 'Is the process alive?',
  auth: { public: true },
  siteContext: false,
  responses: { 200: { description: 'The process is alive', schema: z.object({ status: z.literal('ok') }) } },
  handle: () => ({ status: 200, headers: { 'Cache-Control': 'no-store' }, body: { status: 'ok' } }),
});

// GET /readyz: the database, queue and file store answer. Without the queue it is 200 as well: work is accepted.

const status = z.enum(['ok', 'degraded', 'down']);
const part = z.object({ status, message: z.string().optional() });
const readiness = z.object({ status, parts: z.object({ database: part, queue: part, storage: part }) });

const ready = defineRoute({
  method: 'GET',
  path: '/readyz',
  family: 'operator',
  tag: 'Operations',
  summary: 'Can the process serve requests?',
  auth: { public: true },
  siteContext: false,
  responses: {
    200: {
      description: 'It can. `degraded`: a part does not work, such as the queue; work is accepted and waits',
      schema: readiness,
    },
    503: { description: 'It cannot: the database or the file store does not answer', schema: readiness },
  },
  async handle(_request, services) {
    const body = await readinessOf(services);
    const down = body.status === 'down';
    return {
      status: down ? 503 : 200,
      body,
      headers: { 'Cache-Control': 'no-store', ...(down ? { 'Retry-After': '2' } : {}) },
    };
  },
});

export const healthRoutes: readonly Route[] = [alive, ready];
