/** POST /api-category/v1/category */
import { z } from 'zod';
import { loadCategoryDetails } from '../../../domain/catalog/categories/category-details.js';
import { MAX_CATEGORY_NAME_CHARACTERS } from '../../../domain/catalog/categories/category-name.js';
import { createCategory } from '../../../domain/catalog/categories/create-category.js';
import { categoryReference } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { plainText } from '../../plain-text.js';
import { categorySchema, presentCategory } from '../../presenters/present-category.js';

const body = z
  .object({
    name: plainText(MAX_CATEGORY_NAME_CHARACTERS),
    active: z.boolean().default(true),
    order: z.int32().default(0).meta({ description: 'The position among its siblings' }),
    parentNodeId: categoryReference.nullish(),
    parentId: categoryReference.nullish(),
    type: z
      .enum(['PRIMARY', 'ALTERNATE'])
      .nullish()
      .meta({ description: 'Allowed only without a parent. Default: PRIMARY' }),
  })
  .refine(({ parentNodeId, parentId }) => !(parentNodeId && parentId), {
    path: ['parentId'],
    message: 'name the parent by "parentNodeId" or by "parentId", and not by both',
  })
  .refine(({ parentNodeId, parentId, type }) => !(type && (parentNodeId || parentId)), {
    path: ['type'],
    message: 'leave it out if there is a parent: a category belongs to the tree of its parent',
  });

export const createCategoryRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Create a category',
  description:
    'Without a parent, this is a top category of the primary tree, or with `type: ALTERNATE` the root of an alternate tree. A category that contains items cannot have children.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body },
  responses: { 200: { description: 'The category', schema: categorySchema } },
  async handle({ body: { name, active, order, parentNodeId, parentId, type }, site }, { db }) {
    const parent = parentNodeId ?? parentId ?? null;
    const input = { name, active, order, parent, tree: type ?? 'PRIMARY' } as const;
    const category = await createCategory(db, site.siteId, input);
    const [detail] = await loadCategoryDetails(db, site.siteId, [category]);
    return { status: 200, body: detail && presentCategory(detail) };
  },
});
