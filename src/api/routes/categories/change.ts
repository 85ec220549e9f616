/** The endpoints that create, change and delete one category. */
import { z } from 'zod';
import { loadCategoryDetails } from '../../../domain/catalog/categories/category-details.js';
import { MAX_CATEGORY_NAME_CHARACTERS } from '../../../domain/catalog/categories/category-name.js';
import { createCategory } from '../../../domain/catalog/categories/create-category.js';
import { deleteCategory } from '../../../domain/catalog/categories/delete-category.js';
import { updateCategory } from '../../../domain/catalog/categories/update-category.js';
import { placeUnplacedJobs } from '../../../domain/jobs/place-jobs.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import {
  categoryFields,
  categoryReference,
  NAME_ONE_CATEGORY,
  namedCategory,
  namesOneCategory,
} from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { plainText } from '../../plain-text.js';
import { namedNode, presentNode } from '../../presenters/category-node.js';
import { categorySchema, presentCategory } from '../../presenters/present-category.js';

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

export const createCategoryRoute = defineRoute({
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

export const updateCategoryRoute = defineRoute({
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

export const deleteCategoryRoute = defineRoute({
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
