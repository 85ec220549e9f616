/** POST /jobs/bundle/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedItemsBody } from '../../export-body.js';
import { acceptExportRequest, orderNamedItems } from '../../order-export.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export bundles by name',
  description: 'By SKU in byte order, with what each holds.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => orderNamedItems(db, siteId, 'bundle', request.body)),
});
