/** POST /jobs/attribute/actions/filter-export */

import { defineRoute } from '../../define-route.js';
import { attributeFilterBody } from '../../export-body.js';
import { acceptExportRequest, orderAttributes } from '../../order-export.js';
import { exportResponses } from '../../presenters/present-export-result.js';

export const exportFilteredAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/filter-export',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the attributes that match',
  description: 'By position, with all that defines them.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: attributeFilterBody },
  responses: exportResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => orderAttributes(db, siteId, request.body)),
});
