/** POST /api-category/v1/category/item */

import { z } from 'zod';
import { type CategoryItemOutcome, setCategoryItems } from '../../../domain/catalog/categories/set-category-items.js';
import { MAX_SKU_CHARACTERS } from '../../../domain/catalog/items/item-key.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { plainText } from '../../plain-text.js';
import { presentNode } from '../../presenters/present-category.js';

const MAX_ITEMS = 10_000;
const MAX_BYTES = 4 * 1_048_576;

const body = z
  .object({
    ...categoryFields,
    items: z
      .array(z.object({ sku: plainText(MAX_SKU_CHARACTERS), action: z.enum(['SET', 'UNSET']).default('SET') }))
      .min(1)
      .max(MAX_ITEMS),
  })
  .refine(namesOneCategory, NAME_ONE_CATEGORY);

const MESSAGES: Readonly<Record<CategoryItemOutcome, string>> = {
  SET: 'the item is in the category now',
  UNSET: 'the item is no longer in the category',
  UNCHANGED: 'nothing to change',
  SKU_NOT_FOUND: 'there is no item with this SKU',
  SKU_DUPLICATE_IN_REQUEST: 'the SKU appears again in a later element, which was applied instead',
};

const itemResult = z.object({ index: z.int(), sku: z.string(), action: z.string(), message: z.string() });

export const setCategoryItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/item',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Add items to a category of an alternate tree, or remove them',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body, maxBytes: MAX_BYTES },
  responses: {
    200: {
      description: 'The outcome of each item',
      schema: z.object({
        id: z.string(),
        nodeId: z.int(),
        name: z.string(),
        success: z.array(itemResult),
        failed: z.array(itemResult.extend({ code: z.string() })),
      }),
    },
  },
  async handle({ body: { id, nodeId, items }, site }, { db }) {
    const { category, results } = await setCategoryItems(db, site, namedCategory({ id, nodeId }), items);
    const described = results.map((result) => ({ ...result, message: MESSAGES[result.outcome] }));
    const isFailed = (outcome: CategoryItemOutcome) => outcome.startsWith('SKU_');
    const success = described.filter(({ outcome }) => !isFailed(outcome)).map(({ outcome: _, ...shown }) => shown);
    const failed = described
      .filter(({ outcome }) => isFailed(outcome))
      .map(({ outcome: code, ...shown }) => ({ ...shown, code }));
    return { status: 200, body: { ...presentNode(category), success, failed } };
  },
});
