/** POST /jobs/attribute/actions/export */

import { defineRoute } from '../../define-route.js';
import { namedAttributesBody } from '../../export-body.js';
import { acceptExportRequest, attributesExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportNamedAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export attributes by id or name',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedAttributesBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});
