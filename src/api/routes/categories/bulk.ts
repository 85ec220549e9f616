/** The endpoint that creates and changes categories in bulk. */
import { categoryElementSchema } from '../../../domain/catalog/categories/category-input.js';
import { IMPORT_JOBS } from '../../../domain/imports/model/import-jobs.js';
import { acceptBulk, bulkBody, ofBulk } from '../../accept-bulk.js';
import { bulkOptions } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { BULK_RESPONSES } from '../../presenters/result-schemas.js';

const elementSchema = categoryElementSchema.meta({
  id: 'CategoryInput',
  examples: [{ name: 'Disk', parentNodeName: 'Storage', order: 1 }],
});

export const bulkUpsertCategoriesRoute = defineRoute({
  ...ofBulk,
  path: '/api-category/v1/category/bulk/upsert',
  operationId: 'upsertCategories',
  tag: 'Categories',
  summary: 'Create and change categories in bulk',
  description:
    'A category is identified by its place. A parent may come after its children. Fields that are left out stay as they are.',
  body: bulkBody(elementSchema, [
    { name: 'Disk', parentNodeName: 'Storage', order: 1 },
    { name: 'Sale', type: 'ALTERNATE' },
  ]),
  audit: 'CATEGORIES_CHANGED',
  responses: BULK_RESPONSES.categories,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'CATEGORY_BULK_UPSERT',
      jobType: IMPORT_JOBS.category,
      options: bulkOptions('upsert', request.query),
      audited: true,
    }),
});
