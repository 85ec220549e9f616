/** The endpoints of whole stages. */
import type { Route } from '../define-route.js';
import { exportSiteRoute } from './stages/export.js';

export const stageRoutes: readonly Route[] = [exportSiteRoute];
