/** POST /api-product/v1/product/attribute/bulk */

import { attributeInputSchema } from '../../../domain/catalog/attributes/attribute-input.js';
import { IMPORT_JOBS } from '../../../domain/imports/import-jobs.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { attributeBulkResponses } from '../../presenters/present-job-result.js';

const elementSchema = attributeInputSchema.meta({
  examples: [{ action: 'CREATE', name: 'Title', type: 'TEXT', validation: { required: true, maxLength: 120 } }],
});

export const bulkAttributesRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/attribute/bulk',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'Create, update and delete attributes in bulk',
  description:
    'Elements take effect in order. CREATE with the name of an existing attribute replaces it and keeps its id.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: { raw: 'bulk', elementSchema, maxBytes: BULK_MAX_BYTES, maxElements: BULK_MAX_ELEMENTS },
  responses: attributeBulkResponses,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ATTRIBUTE_BULK',
      jobType: IMPORT_JOBS.attribute,
      options: bulkOptions('upsert', request.query),
    }),
});
