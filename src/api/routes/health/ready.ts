/** GET /readyz: the database, queue and file store answer. Without the queue it is 200 as well: work is accepted. */
import { z } from 'zod';
import { defineRoute } from '../../define-route.js';
import { readinessOf } from '../../readiness.js';

const status = z.enum(['ok', 'degraded', 'down']);
const part = z.object({ status, message: z.string().optional() });
const readiness = z.object({ status, parts: z.object({ database: part, queue: part, storage: part }) });

export const ready = defineRoute({
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
