/** POST /jobs/attribute/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedAttributesBody } from '../../export-body.js';
import { acceptExportRequest, orderAttributes } from '../../order-export.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export attributes by name',
  description: 'By position, with all that defines them.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedAttributesBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => orderAttributes(db, siteId, request.body)),
});
