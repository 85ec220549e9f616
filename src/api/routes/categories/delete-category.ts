/** DELETE /api-category/v1/category */
import { z } from 'zod';
import { deleteCategory } from '../../../domain/catalog/categories/category-rules.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { namedNode, presentNode } from '../../presenters/present-category.js';

const query = z.object(categoryFields).refine(namesOneCategory, NAME_ONE_CATEGORY);

export const deleteCategoryRoute = defineRoute({
  method: 'DELETE',
  path: '/api-category/v1/category',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Delete an empty category',
  description: 'The category must have neither children nor items. Name it by `id` or `nodeId`.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query,
  responses: { 200: { description: 'The category that was deleted', schema: namedNode } },
  async handle({ query: { id, nodeId }, site }, { db, producer, logger }) {
    const { category, outboxEntries } = await deleteCategory(db, site, namedCategory({ id, nodeId }));
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 200, body: presentNode(category) };
  },
});
