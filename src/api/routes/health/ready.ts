/**
 * GET /readyz: the last result of the checks in the background. Only without the database or a schema that fits
 * the release it is 503.
 */
import { z } from 'zod';
import { defineRoute } from '../../define-route.js';

const status = z.enum(['ok', 'degraded', 'down']);
const part = z.object({
  status,
  message: z.string().optional().meta({ description: 'What is wrong' }),
  cure: z.string().optional().meta({ description: 'What to do' }),
});
const readiness = z
  .object({
    status,
    ageMs: z.int().meta({ description: 'The age of this result in milliseconds' }),
    parts: z.object({
      database: part.meta({ description: 'A token is looked up, a job is read and a heartbeat is written' }),
      schema: part.meta({
        description: 'Whether all migrations of this release have run, and the database still allows this release',
      }),
      queue: part.meta({ description: 'A job is enqueued and removed' }),
      storage: part.meta({
        description: 'A few bytes are written, read and removed; free space is compared with the reserve',
      }),
      workers: part.meta({ description: 'Whether each group of work has a living worker process' }),
      steps: part.meta({ description: 'How long the oldest due step has waited' }),
      jobs: part.meta({ description: 'Whether something refers to each job that has not ended' }),
      checks: part.optional().meta({ description: 'Present when this result is too old' }),
    }),
  })
  .meta({ id: 'Readiness' });

export const ready = defineRoute({
  method: 'GET',
  path: '/readyz',
  operationId: 'getReadiness',
  family: 'operator',
  tag: 'Operations',
  summary: 'Can the process serve requests?',
  description:
    'The newest result of checks that are made in the background, so that it does not wait for what it is about.',
  auth: { public: true },
  siteContext: false,
  responses: {
    200: {
      description: 'It can. `degraded`: a part does not work, and its `message` and `cure` say what to do',
      schema: readiness,
    },
    503: {
      description: 'It cannot: the database does not answer, was not migrated, or does not allow this release any more',
      schema: readiness,
    },
  },
  async handle(_request, services) {
    const body = await services.readiness.report();
    const down = body.status === 'down';
    return {
      status: down ? 503 : 200,
      body,
      headers: { 'Cache-Control': 'no-store', ...(down ? { 'Retry-After': '2' } : {}) },
    };
  },
});
