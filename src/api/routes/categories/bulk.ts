/** The endpoint that creates and changes categories in bulk. */
import { categoryElementSchema } from '../../../domain/catalog/categories/category-input.js';
import { IMPORT_JOBS } from '../../../domain/imports/model/import-jobs.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { BULK_RESPONSES } from '../../presenters/result-schemas.js';

const elementSchema = categoryElementSchema.meta({
  id: 'CategoryInput',
  examples: [{ name: 'Disk', parentNodeName: 'Storage', order: 1 }],
});

export const bulkUpsertCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/bulk/upsert',
  operationId: 'upsertCategories',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Create and change categories in bulk',
  description:
    'A category is identified by its place. A parent may come after its children. Fields that are left out stay as they are.',
  auth: { scope: 'catalog:write', orProposing: true },
  siteContext: true,
  query: bulkQuery,
  body: {
    raw: 'bulk',
    elementSchema,
    maxBytes: BULK_MAX_BYTES,
    maxElements: BULK_MAX_ELEMENTS,
    example: [
      { name: 'Disk', parentNodeName: 'Storage', order: 1 },
      { name: 'Sale', type: 'ALTERNATE' },
    ],
  },
  audit: 'CATEGORIES_CHANGED',
  responses: BULK_RESPONSES.categories,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'CATEGORY_BULK_UPSERT',
      jobType: IMPORT_JOBS.category,
      options: bulkOptions('upsert', request.query),
      audited: true,
    }),
});
