/** POST /jobs/bundle/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedItemsBody } from '../../export-body.js';
import { acceptExportRequest, namedItemsExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export bundles by id or SKU',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'bundle', request.body)),
});
