/** The endpoint that reads one level of a tree of categories. */
import { z } from 'zod';
import { listChildCategories, placeOf } from '../../../domain/catalog/categories/child-categories.js';
import { findCategory, nodeNotFound } from '../../../domain/catalog/categories/find-category.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import {
  childCategorySchema,
  placedCategorySchema,
  presentChild,
  presentPlaced,
} from '../../presenters/present-category.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const listChildCategoriesQuery = z
  .strictObject({ ...categoryFields, type: z.enum(['PRIMARY', 'ALTERNATE']).optional(), ...pageParameters })
  .refine((given) => !(given.id && given.nodeId), NAME_ONE_CATEGORY);

export const listChildCategoriesRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category/children',
  operationId: 'listChildCategories',
  family: 'catalog',
  tag: 'Categories',
  summary: 'List the categories directly below a category',
  description:
    'One level of a tree, a page at a time, and how many categories each of them has below it: for trees of any size. Without `id` and `nodeId`, the roots of the trees.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: listChildCategoriesQuery,
  refusals: { 404: 'There is no such category' },
  responses: {
    200: {
      description: 'Categories in their order',
      schema: pageSchema(childCategorySchema).extend({
        category: placedCategorySchema.nullable().meta({ description: 'The one that was named; null: none was' }),
      }),
    },
  },
  async handle({ query: { id, nodeId, type, offset, limit }, site }, { db }) {
    const reference = namesOneCategory({ id, nodeId }) ? namedCategory({ id, nodeId }) : undefined;
    const parent = reference === undefined ? null : await findCategory(db, site.siteId, reference);
    if (reference !== undefined && parent === undefined) throw nodeNotFound('not-found', reference);
    const [page, placed] = await Promise.all([
      listChildCategories(db, site, parent ?? null, type, { offset, limit }),
      parent ? placeOf(db, site, parent) : null,
    ]);
    const shown = presentPage(page, { offset, limit }, presentChild);
    return { status: 200, body: { ...shown, category: placed === null ? null : presentPlaced(placed) } };
  },
});
