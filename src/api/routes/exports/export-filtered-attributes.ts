/** POST /jobs/attribute/actions/filter-export */

import { defineRoute } from '../../define-route.js';
import { attributeFilterBody } from '../../export-body.js';
import { acceptExportRequest, attributesExport } from '../../export-request.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportFilteredAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/filter-export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the attributes that match',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: attributeFilterBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});
