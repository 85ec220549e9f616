/** POST /jobs/category/actions/filter-export */

import { defineRoute } from '../../define-route.js';
import { categoryFilterBody } from '../../export-body.js';
import { acceptExportRequest, categoriesExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportFilteredCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/filter-export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the categories that match',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: categoryFilterBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});
