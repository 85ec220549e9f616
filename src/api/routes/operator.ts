/** The endpoints for operators and their tools: the metrics, and how many workers the system wants. */
import type { Route } from '../define-route.js';
import { metricsRoute } from './operator/metrics.js';
import { scaleRoute } from './operator/scale.js';

export const operatorRoutes: readonly Route[] = [metricsRoute, scaleRoute];
