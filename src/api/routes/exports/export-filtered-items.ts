/** POST /jobs/product/actions/filter-export */

import { defineRoute } from '../../define-route.js';
import { itemFilterBody } from '../../export-body.js';
import { acceptExportRequest, filteredItemsExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportFilteredItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/filter-export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the items that match',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) =>
      filteredItemsExport(db, siteId, 'product', request.body),
    ),
});
