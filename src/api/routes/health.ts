/** The endpoints by which a platform sees whether a process is alive and ready. */
import type { Route } from '../define-route.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';

export const healthRoutes: readonly Route[] = [alive, ready];
