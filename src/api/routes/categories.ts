/** The endpoints of categories, with the form in which clients see a category. */
import { z } from 'zod';
import type { CategoryDetail } from '../../domain/catalog/categories/category-details.js';
import { loadCategoryDetails } from '../../domain/catalog/categories/category-details.js';
import { categoryElementSchema } from '../../domain/catalog/categories/category-input.js';
import { MAX_CATEGORY_NAME_CHARACTERS } from '../../domain/catalog/categories/category-name.js';
import type { CategoryTreeNode } from '../../domain/catalog/categories/category-tree.js';
import { loadSubtree, loadTrees } from '../../domain/catalog/categories/category-tree.js';
import { createCategory } from '../../domain/catalog/categories/create-category.js';
import { deleteCategory } from '../../domain/catalog/categories/delete-category.js';
import { findCategory, nodeNotFound } from '../../domain/catalog/categories/find-category.js';
import { listCategories } from '../../domain/catalog/categories/list-categories.js';
import { updateCategory } from '../../domain/catalog/categories/update-category.js';
import { IMPORT_JOBS } from '../../domain/imports/import-jobs.js';
import { placeUnplacedJobs } from '../../domain/jobs/place-jobs.js';
import { enqueueEntries } from '../../queues/outbox.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../bulk-query.js';
import {
  categoryFields,
  categoryReference,
  NAME_ONE_CATEGORY,
  namedCategory,
  namesOneCategory,
} from '../category-reference.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { numberList, pageParameters, searchText, textList } from '../list-query.js';
import { plainText } from '../plain-text.js';
import {
  categoryAttributeSchema,
  namedNode,
  presentCategoryAttribute,
  presentNode,
} from '../presenters/category-node.js';
import { BULK_RESPONSES } from '../presenters/present-job.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';

const categorySchema = namedNode
  .extend({
    type: z.enum(['PRIMARY', 'ALTERNATE']),
    order: z.int(),
    active: z.boolean(),
    attributes: z.array(categoryAttributeSchema),
    children: z.array(namedNode),
    breadcrumbs: z.array(namedNode).meta({ description: 'From the root to the category itself' }),
    createdOn: z.iso.datetime(),
    modifiedOn: z.iso.datetime(),
  })
  .meta({ id: 'Category' });

type PresentedCategory = z.output<typeof categorySchema>;

function presentCategory({ category, attributes, children, lineage }: CategoryDetail): PresentedCategory {
  return {
    ...presentNode(category),
    type: category.tree,
    order: category.sort_order,
    active: category.active,
    attributes: attributes.map(presentCategoryAttribute),
    children: children.map(presentNode),
    breadcrumbs: lineage.map(presentNode),
    createdOn: category.created_at.toISOString(),
    modifiedOn: category.updated_at.toISOString(),
  };
}

const treeNode = namedNode.extend({ type: z.enum(['PRIMARY', 'ALTERNATE']), order: z.int(), active: z.boolean() });

const categoryTreeSchema = treeNode
  .extend({
    get children(): z.ZodArray<typeof categoryTreeSchema> {
      return z.array(categoryTreeSchema);
    },
  })
  .meta({ id: 'CategoryTree' });

type PresentedTreeNode = z.output<typeof categoryTreeSchema>;

/** A node with all nodes below it. Trees are at most 64 levels deep. */
function presentTree({ category, children }: CategoryTreeNode): PresentedTreeNode {
  return {
    ...presentNode(category),
    type: category.tree,
    order: category.sort_order,
    active: category.active,
    children: children.map(presentTree),
  };
}

const createCategoryBody = z
  .strictObject({
    name: plainText(MAX_CATEGORY_NAME_CHARACTERS),
    active: z.boolean().default(true),
    order: z.int32().default(0).meta({ description: 'The position among its siblings' }),
    parentNodeId: categoryReference.optional(),
    parentId: categoryReference.optional(),
    type: z
      .enum(['PRIMARY', 'ALTERNATE'])
      .optional()
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

/** How the audit log names a category. */
function targetOf({ id }: { readonly id: string }): string {
  return `category/${id}`;
}

const createCategoryRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category',
  operationId: 'createCategory',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Create a category',
  description:
    'Without a parent, this is a top category of the primary tree, or with `type: ALTERNATE` the root of an alternate tree. A category that contains items cannot have children.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: createCategoryBody, example: { name: 'Storage' } },
  refusals: { 409: 'A job that is waiting or running depends on what the request would change' },
  responses: { 200: { description: 'The category', schema: categorySchema } },
  audit: 'CATEGORY_CREATED',
  async handle({ body: { name, active, order, parentNodeId, parentId, type }, site, audit }, { db }) {
    const parent = parentNodeId ?? parentId ?? null;
    const input = { name, active, order, parent, tree: type ?? 'PRIMARY' } as const;
    const category = await audit.change(db, (trx) => createCategory(trx, site.siteId, input), targetOf);
    const [detail] = await loadCategoryDetails(db, site.siteId, [category]);
    return { status: 200, body: detail && presentCategory(detail) };
  },
});

const updateCategoryBody = z
  .strictObject({
    ...categoryFields,
    name: plainText(MAX_CATEGORY_NAME_CHARACTERS).optional(),
    active: z.boolean().optional(),
    order: z.int32().optional().meta({ description: 'The position among its siblings' }),
    parentNodeId: categoryReference.optional().meta({ description: 'Moves the category and everything below it' }),
    parentId: categoryReference.optional(),
  })
  .refine(namesOneCategory, NAME_ONE_CATEGORY)
  .refine(({ parentNodeId, parentId }) => !(parentNodeId && parentId), {
    path: ['parentId'],
    message: 'name the parent by "parentNodeId" or by "parentId", and not by both',
  });

const updateCategoryRoute = defineRoute({
  method: 'PUT',
  path: '/api-category/v1/category',
  operationId: 'updateCategory',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Rename, reorder, activate, deactivate or move a category',
  description:
    'Fields that are left out stay as they are. A category is moved together with everything below it, and only to a place where it could be created: not between the primary tree and an alternate tree.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: updateCategoryBody, example: { nodeId: 2, order: 1 } },
  refusals: { 409: 'A job that is waiting or running depends on what the request would change' },
  responses: { 200: { description: 'The category', schema: categorySchema } },
  audit: 'CATEGORY_UPDATED',
  async handle({ body, site, audit }, { db, producer, logger }) {
    const { id, nodeId, name, active, order, parentNodeId, parentId } = body;
    const parent = parentNodeId ?? parentId ?? undefined;
    const update = { name, active, order, parent };
    const category = await audit.change(
      db,
      (trx) => updateCategory(trx, site.siteId, namedCategory({ id, nodeId }), update),
      targetOf,
    );
    // Jobs that are accepted from now on take effect after the job that updates the status of existing items.
    await enqueueEntries(producer, await placeUnplacedJobs(db, site.siteId), logger);
    const [detail] = await loadCategoryDetails(db, site.siteId, [category]);
    return { status: 200, body: detail && presentCategory(detail) };
  },
});

const deleteCategoryQuery = z.strictObject(categoryFields).refine(namesOneCategory, NAME_ONE_CATEGORY);

const deleteCategoryRoute = defineRoute({
  method: 'DELETE',
  path: '/api-category/v1/category',
  operationId: 'deleteCategory',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Delete an empty category',
  description: 'The category must have neither children nor items. Name it by `id` or `nodeId`.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: deleteCategoryQuery,
  refusals: { 409: 'A job that is waiting or running depends on what the request would change' },
  responses: { 200: { description: 'The category that was deleted', schema: namedNode } },
  audit: 'CATEGORY_DELETED',
  async handle({ query: { id, nodeId }, site, audit }, { db, producer, logger }) {
    const { category, outboxEntries } = await audit.change(
      db,
      (trx) => deleteCategory(trx, site, namedCategory({ id, nodeId })),
      (deleted) => targetOf(deleted.category),
    );
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 200, body: presentNode(category) };
  },
});

const elementSchema = categoryElementSchema.meta({
  id: 'CategoryInput',
  examples: [{ name: 'Disk', parentNodeName: 'Storage', order: 1 }],
});

const bulkUpsertCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/bulk/upsert',
  operationId: 'upsertCategories',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Create and change categories in bulk',
  description:
    'A category is identified by its place. A parent may come after its children. Fields that are left out stay as they are.',
  auth: { scope: 'catalog:write' },
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

const listCategoriesQuery = z.strictObject({
  ids: textList.optional(),
  nodeIds: numberList.optional(),
  keyword: searchText.optional().meta({ description: 'A part of the name' }),
  type: z.enum(['PRIMARY', 'ALTERNATE']).optional(),
  status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  ...pageParameters,
});

const listCategoriesRoute = defineRoute({
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
  async handle({ query: { ids, nodeIds, keyword, type, status, offset, limit }, site }, { db }) {
    const active = status === undefined ? undefined : status === 'ACTIVE';
    const page = await listCategories(db, site, { ids, nodeIds, keyword, tree: type, active }, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentCategory) };
  },
});

const readCategoryTreeQuery = z
  .strictObject({ ...categoryFields, type: z.enum(['PRIMARY', 'ALTERNATE']).optional(), ...pageParameters })
  .refine((given) => !(given.id && given.nodeId), NAME_ONE_CATEGORY);

const readCategoryTreeRoute = defineRoute({
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

export const categoryRoutes: readonly Route[] = [
  createCategoryRoute,
  updateCategoryRoute,
  deleteCategoryRoute,
  bulkUpsertCategoriesRoute,
  listCategoriesRoute,
  readCategoryTreeRoute,
];
