/** POST /jobs/category/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedCategoriesBody } from '../../export-body.js';
import { acceptExportRequest, categoriesExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export categories by id or node id',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedCategoriesBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});
