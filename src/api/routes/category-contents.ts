/** The endpoints of the items and the attributes of a category. */
import { z } from 'zod';
import { findCategory, nodeNotFound } from '../../domain/catalog/categories/find-category.js';
import { listItemAttributes } from '../../domain/catalog/categories/list-item-attributes.js';
import { setItemAttributes } from '../../domain/catalog/categories/set-item-attributes.js';
import { MAX_SKU_CHARACTERS } from '../../domain/catalog/items/item-key.js';
import type { CategoryItemOutcome } from '../../domain/catalog/items/set-category-items.js';
import { setCategoryItems } from '../../domain/catalog/items/set-category-items.js';
import { placeUnplacedJobs } from '../../domain/jobs/place-jobs.js';
import { refuseUnapproved } from '../../domain/settings/approval-rules.js';
import { enqueueEntries } from '../../queues/outbox.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namedAttribute, namesOneAttribute } from '../attribute-reference.js';
import { categoryFields, NAME_ONE_CATEGORY, namedCategory, namesOneCategory } from '../category-reference.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters } from '../list-query.js';
import { plainText } from '../plain-text.js';
import { categoryAttributeSchema, presentCategoryAttribute, presentNode } from '../presenters/category-node.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';

const MAX_ITEMS = 10_000;
const MAX_BYTES = 4 * 1_048_576;

const setCategoryItemsBody = z
  .strictObject({
    ...categoryFields,
    items: z
      .array(z.strictObject({ sku: plainText(MAX_SKU_CHARACTERS), action: z.enum(['SET', 'UNSET']).default('SET') }))
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

const SEND_INSTEAD =
  'give the items their `alternateCategories` by POST /api-product/v1/product/bulk/update, or by the column of a file';

const itemResult = z.object({ index: z.int(), sku: z.string(), action: z.string(), message: z.string() });

const setCategoryItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/item',
  operationId: 'setCategoryItems',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Add items to a category of an alternate tree, or remove them',
  description:
    'Each item is added (`SET`, the default) or removed (`UNSET`) by itself: the answer has the outcome of each, and an item that does not exist keeps no other one from being added. Only categories without subcategories contain items. The request cannot wait for an approval: where the rule of the stage has a bulk request of as many items wait, it is refused.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  refusals: { 409: 'By the rule of the stage, such a change waits for an approval' },
  body: { schema: setCategoryItemsBody, maxBytes: MAX_BYTES, example: { nodeId: 3, items: [{ sku: 'DISK-1' }] } },
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
  async handle({ body: { id, nodeId, items }, site }, { db, approvalRules }) {
    const rule = await approvalRules.of(site.siteId);
    await refuseUnapproved(db, site.siteId, rule, new Set(items.map(({ sku }) => sku)).size, SEND_INSTEAD);
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

const MAX_CHANGES = 10_000;

const change = z
  .strictObject({
    action: z.enum(['SET', 'UNSET']).default('SET'),
    ...attributeFields,
    mandatory: z.boolean().optional().meta({ description: 'For SET: items are DRAFT without a value (default false)' }),
  })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);

const setItemAttributesBody = z
  .strictObject({ ...categoryFields, itemAttributes: z.array(change).min(1).max(MAX_CHANGES) })
  .refine(namesOneCategory, NAME_ONE_CATEGORY);

const setItemAttributesRoute = defineRoute({
  method: 'POST',
  path: '/api-category/v1/category/item-attribute',
  operationId: 'setCategoryAttributes',
  family: 'catalog',
  tag: 'Categories',
  summary: 'Assign attributes to a category',
  description: 'Categories below inherit them. Either all changes are made, or none.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: {
    schema: setItemAttributesBody,
    example: { nodeId: 4, itemAttributes: [{ name: 'Title', mandatory: true }, { name: 'Price' }] },
  },
  responses: {
    200: {
      description: 'The category with its attributes after the changes',
      schema: z.object({
        id: z.string(),
        nodeId: z.int(),
        name: z.string(),
        itemAttributes: z.array(categoryAttributeSchema),
        warnings: z
          .array(z.object({ path: z.string(), code: z.string(), message: z.string() }))
          .optional()
          .meta({ description: 'Required attributes of which existing items may have no value; `path` is the name' }),
      }),
    },
  },
  audit: 'CATEGORY_ATTRIBUTES_CHANGED',
  async handle({ body: { id, nodeId, itemAttributes }, site, audit }, { db, producer, logger }) {
    const changes = itemAttributes.map(({ action, mandatory, ...named }) => ({
      action,
      mandatory,
      attribute: namedAttribute(named),
    }));
    const { detail, warnings } = await audit.change(
      db,
      (trx) => setItemAttributes(trx, site.siteId, namedCategory({ id, nodeId }), changes),
      (done) => `category/${done.detail.category.id}`,
    );
    // Jobs that are accepted from now on take effect after the job that updates the status of existing items.
    await enqueueEntries(producer, await placeUnplacedJobs(db, site.siteId), logger);
    return {
      status: 200,
      body: {
        ...presentNode(detail.category),
        itemAttributes: detail.attributes.map(presentCategoryAttribute),
        ...(warnings.length > 0 ? { warnings } : {}),
      },
    };
  },
});

const query = z
  .strictObject({
    ...categoryFields,
    status: z.enum(['ASSIGNED', 'UNASSIGNED']).default('ASSIGNED'),
    ...pageParameters,
  })
  .refine(namesOneCategory, NAME_ONE_CATEGORY);

const listItemAttributesRoute = defineRoute({
  method: 'GET',
  path: '/api-category/v1/category/item-attribute',
  operationId: 'listCategoryAttributes',
  family: 'catalog',
  tag: 'Categories',
  summary: 'List the attributes that a category has, or lacks',
  description:
    'With `status=ASSIGNED` (the default) those that items of the category have, inherited ones included; with `UNASSIGNED` all others.',
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
    const category = await findCategory(db, site.siteId, reference);
    if (category === undefined) throw nodeNotFound('invalid', reference);
    const page = await listItemAttributes(db, category, status, { offset, limit });
    return {
      status: 200,
      body: { ...presentNode(category), ...presentPage(page, { offset, limit }, presentCategoryAttribute) },
    };
  },
});

export const categoryContentRoutes: readonly Route[] = [
  setCategoryItemsRoute,
  setItemAttributesRoute,
  listItemAttributesRoute,
];
