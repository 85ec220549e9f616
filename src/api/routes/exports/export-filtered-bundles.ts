/** POST /jobs/bundle/actions/filter-export */

import { defineRoute } from '../../define-route.js';
import { itemFilterBody } from '../../export-body.js';
import { acceptExportRequest, filteredItemsExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportFilteredBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/filter-export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the bundles that match',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => filteredItemsExport(db, siteId, 'bundle', request.body)),
});
