/** GET /api-category/v1/category */
import { z } from 'zod';
import { listCategories } from '../../../domain/catalog/categories/list-categories.js';
import { defineRoute } from '../../define-route.js';
import { numberList, pageParameters, searchText, textList } from '../../list-query.js';
import { categorySchema, presentCategory } from '../../presenters/present-category.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const query = z.object({
  ids: textList.optional(),
  nodeIds: numberList.optional(),
  keyword: searchText.optional().meta({ description: 'A part of the name' }),
  type: z.enum(['PRIMARY', 'ALTERNATE']).optional(),
  status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  ...pageParameters,
});

export const listCategoriesRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category',
  family: 'catalog',
  tag: 'Categories',
  summary: 'List categories',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query,
  responses: { 200: { description: 'Categories ordered by node id', schema: pageSchema(categorySchema) } },
  async handle({ query: { ids, nodeIds, keyword, type, status, offset, limit }, site }, { db }) {
    const active = status === undefined ? undefined : status === 'ACTIVE';
    const page = await listCategories(db, site, { ids, nodeIds, keyword, tree: type, active }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentCategory) };
  },
});
