/** The endpoints by which a platform sees whether a process is alive and ready. */

import { z } from 'zod';
import { defineRoute, type Route } from '../define-route.js';
import { ready } from './health/ready.js';

/** GET /healthz: the process answers. It checks nothing else, so that it answers at once in every situation. */
const alive = defineRoute({
  method: 'GET',
  path: '/healthz',
  operationId: 'getHealth',
  family: 'operator',
  tag: 'Operations',
  summary: 'Is the process alive?',
  description: 'It checks nothing but the process itself, so that it answers at once in every situation.',
  auth: { public: true },
  siteContext: false,
  responses: { 200: { description: 'The process is alive', schema: z.object({ status: z.literal('ok') }) } },
  handle: () => ({ status: 200, headers: { 'Cache-Control': 'no-store' }, body: { status: 'ok' } }),
});

export const healthRoutes: readonly Route[] = [alive, ready];
