/** GET /api-category/v1/category/item-attribute */
import { z } from 'zod';
import { findVisibleCategory, nodeNotFound } from '../../../domain/catalog/categories/find-category.js';
import { listItemAttributes } from '../../../domain/catalog/categories/list-item-attributes.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { categoryAttributeSchema, presentCategoryAttribute, presentNode } from '../../presenters/present-category.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const query = z
  .object({ ...categoryFields, status: z.enum(['ASSIGNED', 'UNASSIGNED']).default('ASSIGNED'), ...pageParameters })
  .refine(namesOneCategory, NAME_ONE_CATEGORY);

export const listItemAttributesRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category/item-attribute',
  family: 'catalog',
  tag: 'Categories',
  summary: 'List the attributes that a category has, or lacks',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query,
  responses: {
    200: {
      description: 'The attributes, inherited ones first',
      schema: pageSchema(categoryAttributeSchema).extend({ id: z.string(), nodeId: z.int(), name: z.string() }),
    },
  },
  async handle({ query: { id, nodeId, status, offset, limit }, site }, { db }) {
    const reference = namedCategory({ id, nodeId });
    const category = await findVisibleCategory(db, site, reference);
    if (category === undefined) throw nodeNotFound('invalid', reference);
    const page = await listItemAttributes(db, category, status, { offset, limit });
    return {
      status: 200,
      body: { ...presentNode(category), ...presentPage(page, { offset, limit }, presentCategoryAttribute) },
    };
  },
});
