/** POST /api-product/v1/product/bulk/update */
import { IMPORT_JOBS } from '../../../domain/imports/import-jobs.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { itemElementSchema } from '../../item-element-schema.js';
import { itemBulkResponses } from '../../presenters/present-job-result.js';

export const bulkUpdateItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/update',
  family: 'catalog',
  tag: 'Items',
  summary: 'Update items in bulk',
  description: 'Changes items. A row with a SKU that does not exist fails.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: { raw: 'bulk', elementSchema: itemElementSchema, maxBytes: BULK_MAX_BYTES, maxElements: BULK_MAX_ELEMENTS },
  responses: itemBulkResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_UPDATE',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('update', request.query),
    }),
});
