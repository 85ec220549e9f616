/** GET /api-category/v1/category/tree */
import { z } from 'zod';
import { loadSubtree, loadTrees } from '../../../domain/catalog/categories/category-tree.js';
import { findVisibleCategory, nodeNotFound } from '../../../domain/catalog/categories/find-category.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { categoryTreeSchema, presentTree } from '../../presenters/present-category.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const query = z
  .object({ ...categoryFields, type: z.enum(['PRIMARY', 'ALTERNATE']).optional(), ...pageParameters })
  .refine((given) => !(given.id && given.nodeId), NAME_ONE_CATEGORY);

export const readCategoryTreeRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category/tree',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Read category trees',
  description:
    'Answers whole trees, paged by their roots and beginning with the primary tree; or, with `id` or `nodeId`, the categories below that category.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query,
  responses: { 200: { description: 'Trees as nested nodes', schema: pageSchema(categoryTreeSchema) } },
  async handle({ query: { id, nodeId, type, offset, limit }, site }, { db }) {
    if (!namesOneCategory({ id, nodeId })) {
      const page = await loadTrees(db, site, type, { offset, limit });
      return { status: 200, body: presentPage(page, { offset, limit }, presentTree) };
    }
    const reference = namedCategory({ id, nodeId });
    const category = await findVisibleCategory(db, site, reference);
    if (category === undefined) throw nodeNotFound('not-found', reference);
    const rows = await loadSubtree(db, site, category);
    return { status: 200, body: presentPage({ rows, count: rows.length }, { offset: 0, limit }, presentTree) };
  },
});
