/** PUT /api-category/v1/category */
import { z } from 'zod';
import { loadCategoryDetails } from '../../../domain/catalog/categories/category-details.js';
import { MAX_CATEGORY_NAME_CHARACTERS } from '../../../domain/catalog/categories/category-name.js';
import { updateCategory } from '../../../domain/catalog/categories/update-category.js';
import { placeUnplacedJobs } from '../../../domain/jobs/accept-job.js';
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
import { categorySchema, presentCategory } from '../../presenters/present-category.js';

const body = z
  .object({
    ...categoryFields,
    name: plainText(MAX_CATEGORY_NAME_CHARACTERS).optional(),
    active: z.boolean().optional(),
    order: z.int32().optional().meta({ description: 'The position among its siblings' }),
    parentNodeId: categoryReference.nullish().meta({ description: 'Moves the category and everything below it' }),
    parentId: categoryReference.nullish(),
  })
  .refine(namesOneCategory, NAME_ONE_CATEGORY)
  .refine(({ parentNodeId, parentId }) => !(parentNodeId && parentId), {
    path: ['parentId'],
    message: 'name the parent by "parentNodeId" or by "parentId", and not by both',
  });

export const updateCategoryRoute = defineRoute({
  method: 'PUT',
  path: '/api-category/v1/category',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Rename, reorder, activate, deactivate or move a category',
  description:
    'Fields that are left out stay as they are. A category is moved together with everything below it, and only to a place where it could be created: not between the primary tree and an alternate tree.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body },
  responses: { 200: { description: 'The category', schema: categorySchema } },
  async handle({ body: { id, nodeId, name, active, order, parentNodeId, parentId }, site }, { db, producer, logger }) {
    const parent = parentNodeId ?? parentId ?? undefined;
    const update = { name, active, order, parent };
    const category = await updateCategory(db, site.siteId, namedCategory({ id, nodeId }), update);
    // Jobs that are accepted from now on take effect after the job that updates the status of existing items.
    await enqueueEntries(producer, await placeUnplacedJobs(db, site.siteId), logger);
    const [detail] = await loadCategoryDetails(db, site.siteId, [category]);
    return { status: 200, body: detail && presentCategory(detail) };
  },
});
