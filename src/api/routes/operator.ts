/** The endpoints for operators and their tools: the metrics, and how many workers the system wants. */

import { PAGE_TYPE } from '../../platform/metrics/metrics-page.js';
import { defineRoute, type Route } from '../define-route.js';
import { makeMetricsPage } from '../metrics-page.js';
import { scaleRoute } from './operator/scale.js';

/** GET /metrics: the metrics of all processes. */
const metricsRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'getMetrics',
  family: 'operator',
  tag: 'Operations',
  summary: 'The metrics of all processes, in the text format of Prometheus',
  description:
    'Any web process answers for all that live. The password of Basic, or the bearer token, is an operator token. METRICS_PORT opens the same page without a token on a port of its own.',
  auth: { scope: 'operator' },
  siteContext: false,
  responses: { 200: { description: 'The page', contentType: 'text/plain' } },
  handle: async (_request, services) => ({
    status: 200,
    headers: { 'Content-Type': PAGE_TYPE },
    body: Buffer.from(await makeMetricsPage(services)),
  }),
});

export const operatorRoutes: readonly Route[] = [metricsRoute, scaleRoute];
