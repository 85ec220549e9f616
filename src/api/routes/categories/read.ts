/** The endpoints that list categories and read their trees. */
import { z } from 'zod';
import { loadSubtree, loadTrees } from '../../../domain/catalog/categories/category-tree.js';
import { findCategory, nodeNotFound } from '../../../domain/catalog/categories/find-category.js';
import { listCategories } from '../../../domain/catalog/categories/list-categories.js';
import { normalizeSku } from '../../../domain/catalog/items/item-key.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { numberList, pageParameters, searchText, textList } from '../../list-query.js';
import { categorySchema, categoryTreeSchema, presentCategory, presentTree } from '../../presenters/present-category.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const listCategoriesQuery = z.strictObject({
  ids: textList.optional(),
  nodeIds: numberList.optional(),
  keyword: searchText.optional().meta({ description: 'A part of the name' }),
  type: z.enum(['PRIMARY', 'ALTERNATE']).optional(),
  status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  sku: searchText
    .optional()
    .meta({ description: 'The categories of this item: its own, and those of alternate trees' }),
  ...pageParameters,
});

export const listCategoriesRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category',
  operationId: 'listCategories',
  family: 'catalog',
  tag: 'Categories',
  summary: 'List categories',
  description: 'The categories of all trees, a page at a time. The tree operation answers them nested in each other.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: listCategoriesQuery,
  responses: { 200: { description: 'Categories ordered by node id', schema: pageSchema(categorySchema) } },
  async handle({ query: { ids, nodeIds, keyword, type, status, sku, offset, limit }, site }, { db }) {
    const active = status === undefined ? undefined : status === 'ACTIVE';
    const page = await listCategories(
      db,
      site,
      { ids, nodeIds, keyword, tree: type, active, sku: sku && normalizeSku(sku) },
      { offset, limit },
    );
    return { status: 200, body: presentPage(page, { offset, limit }, presentCategory) };
  },
});

const readCategoryTreeQuery = z
  .strictObject({ ...categoryFields, type: z.enum(['PRIMARY', 'ALTERNATE']).optional(), ...pageParameters })
  .refine((given) => !(given.id && given.nodeId), NAME_ONE_CATEGORY);

export const readCategoryTreeRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category/tree',
  operationId: 'getCategoryTree',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Read category trees',
  description:
    'Answers whole trees, paged by their roots and beginning with the primary tree; or, with `id` or `nodeId`, the categories below that category.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: readCategoryTreeQuery,
  refusals: { 404: 'There is no such category' },
  responses: { 200: { description: 'Trees as nested nodes', schema: pageSchema(categoryTreeSchema) } },
  async handle({ query: { id, nodeId, type, offset, limit }, site }, { db }) {
    if (!namesOneCategory({ id, nodeId })) {
      const page = await loadTrees(db, site, type, { offset, limit });
      return { status: 200, body: presentPage(page, { offset, limit }, presentTree) };
    }
    const reference = namedCategory({ id, nodeId });
    const category = await findCategory(db, site.siteId, reference);
    if (category === undefined) throw nodeNotFound('not-found', reference);
    const rows = await loadSubtree(db, site, category);
    return { status: 200, body: presentPage({ rows, count: rows.length }, { offset: 0, limit }, presentTree) };
  },
});
