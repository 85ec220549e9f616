/** POST /api-category/v1/category/item-attribute */
import { z } from 'zod';
import { setItemAttributes } from '../../../domain/catalog/categories/set-item-attributes.js';
import { placeUnplacedJobs } from '../../../domain/jobs/accept-job.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namedAttribute, namesOneAttribute } from '../../attribute-reference.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { categoryAttributeSchema, presentCategoryAttribute, presentNode } from '../../presenters/present-category.js';

const MAX_CHANGES = 10_000;

const change = z
  .object({
    action: z.enum(['SET', 'UNSET']).default('SET'),
    ...attributeFields,
    mandatory: z.boolean().optional().meta({ description: 'For SET: items are DRAFT without a value (default false)' }),
  })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);

const body = z
  .object({ ...categoryFields, itemAttributes: z.array(change).min(1).max(MAX_CHANGES) })
  .refine(namesOneCategory, NAME_ONE_CATEGORY);

export const setItemAttributesRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/item-attribute',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Assign attributes to a category',
  description: 'Categories below inherit them. Either all changes are made, or none.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body },
  responses: {
    200: {
      description: 'The category with its attributes after the changes',
      schema: z.object({
        id: z.string(),
        nodeId: z.int(),
        name: z.string(),
        itemAttributes: z.array(categoryAttributeSchema),
      }),
    },
  },
  async handle({ body: { id, nodeId, itemAttributes }, site }, { db, producer, logger }) {
    const changes = itemAttributes.map(({ action, mandatory, ...named }) => ({
      action,
      mandatory,
      attribute: namedAttribute(named),
    }));
    const detail = await setItemAttributes(db, site.siteId, namedCategory({ id, nodeId }), changes);
    // Jobs that are accepted from now on take effect after the job that updates the status of existing items.
    await enqueueEntries(producer, await placeUnplacedJobs(db, site.siteId), logger);
    return {
      status: 200,
      body: { ...presentNode(detail.category), itemAttributes: detail.attributes.map(presentCategoryAttribute) },
    };
  },
});
