/** POST /api-product/v1/product/bulk/insert */
import { IMPORT_JOBS } from '../../../domain/imports/import-jobs.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { itemElementSchema } from '../../item-element-schema.js';
import { itemBulkResponses } from '../../presenters/present-job-result.js';

export const bulkInsertItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/insert',
  family: 'catalog',
  tag: 'Items',
  summary: 'Insert items in bulk',
  description:
    'Creates items. A row with the SKU of an existing item fails. Of several rows with the same SKU the first is applied.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: { raw: 'bulk', elementSchema: itemElementSchema, maxBytes: BULK_MAX_BYTES, maxElements: BULK_MAX_ELEMENTS },
  responses: itemBulkResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_INSERT',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('insert', request.query),
    }),
});
