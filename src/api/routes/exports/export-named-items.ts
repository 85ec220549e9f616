/** POST /jobs/product/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedItemsBody } from '../../export-body.js';
import { acceptExportRequest, namedItemsExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export items by id or SKU',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'product', request.body)),
});
