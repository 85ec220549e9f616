/** POST /jobs/category/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedCategoriesBody } from '../../export-body.js';
import { acceptExportRequest, orderCategories } from '../../order-export.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export categories by name',
  description: 'Parents first, with the attributes that each assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedCategoriesBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => orderCategories(db, siteId, request.body)),
});
