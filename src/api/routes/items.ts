/** The endpoints of items. */
import { z } from 'zod';
import { findItem } from '../../domain/catalog/items/find-item.js';
import { MAX_SKU_CHARACTERS } from '../../domain/catalog/items/item-key.js';
import { listItems } from '../../domain/catalog/items/list-items.js';
import { IMPORT_JOBS } from '../../domain/imports/import-jobs.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { acceptBulk, acceptRows, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../accept-bulk.js';
import { bulkOptions, bulkQuery } from '../bulk-query.js';
import { categoryReference } from '../category-reference.js';
import { checkTargets } from '../check-targets.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, searchText, textList } from '../list-query.js';
import { itemSchema, listedItemSchema, presentItem, presentListedItem } from '../presenters/present-item.js';
import { BULK_RESPONSES } from '../presenters/present-job.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';

// The elements of a bulk request of items, for the documentation only: the import checks each element itself.

const attributeValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const itemElementSchema = z
  .object({
    sku: z.string().max(MAX_SKU_CHARACTERS),
    type: z
      .enum(['ITEM', 'BUNDLE'])
      .optional()
      .meta({ description: 'For a new item. Default: ITEM, or BUNDLE if it has bundleItems' }),
    nodeName: z.string().optional().meta({ description: 'Path of the category: `Storage->Disk`' }),
    nodeId: z.int().optional(),
    parentSku: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The item of which this one is a variant; null separates it from its parent' }),
    detach: z
      .boolean()
      .optional()
      .meta({ description: 'true separates the item from its parent and keeps the inherited values as its own' }),
    attributes: z
      .record(z.string(), attributeValue)
      .optional()
      .meta({ description: 'Name → value; null clears the value' }),
    attributeValues: z.array(z.strictObject({ name: z.string(), value: attributeValue })).optional(),
    bundleItems: z
      .array(z.strictObject({ sku: z.string().max(MAX_SKU_CHARACTERS), quantity: z.int().min(1) }))
      .nullable()
      .optional()
      .meta({ description: 'All items of a bundle. If it is left out they stay; null removes them' }),
  })
  .meta({
    id: 'ItemInput',
    description: 'An item',
    examples: [{ sku: 'A-1', nodeName: 'Storage->Disk', attributes: { Title: 'A disk', Price: 79.9 } }],
  });

/** 10,000 of the longest SKUs. */
const MAX_BYTES = 12 * 1024 * 1024;

const bulkDeleteItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/delete',
  operationId: 'deleteItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Delete items in bulk',
  description:
    'Deletes items and bundles permanently, in every channel. A SKU that is not visible in the site context fails its row. An item that has variants or is part of a bundle fails its row too, unless the same request deletes those.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: {
    schema: z.strictObject({ skus: z.array(z.string()).min(1).meta({ description: '1 to 10,000 SKUs' }) }),
    maxBytes: MAX_BYTES,
    example: { skus: ['DISK-2'] },
  },
  responses: BULK_RESPONSES.items,
  idempotent: true,
  prefersWait: true,
  async handle(request, services) {
    await checkTargets(services.targets, { callbackUrl: request.query.callbackUrl });
    const { skus } = request.body;
    if (skus.length > BULK_MAX_ELEMENTS) {
      const message = `"skus" has ${skus.length} entries; at most ${BULK_MAX_ELEMENTS} are allowed in one request`;
      throw new DomainError('too-large', 'TOO_MANY_ROWS', message);
    }
    const lines = Buffer.from(skus.map((sku) => JSON.stringify({ sku })).join('\n'));
    // Existing items are changed, as by an update, so the job is exclusive on its site.
    const job = {
      type: 'ITEM_BULK_DELETE',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('update', request.query),
    } as const;
    return acceptRows(request, services, job, { lines, rowCount: skus.length });
  },
});

const bulkInsertItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/insert',
  operationId: 'insertItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Insert items in bulk',
  description:
    'Creates items. A row with the SKU of an existing item fails. Of several rows with the same SKU the first is applied.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: {
    raw: 'bulk',
    elementSchema: itemElementSchema,
    maxBytes: BULK_MAX_BYTES,
    maxElements: BULK_MAX_ELEMENTS,
    example: [{ sku: 'DISK-1', nodeName: 'Storage->Disk', attributes: { Title: 'Disk 2 TB', Price: '89.90' } }],
  },
  responses: BULK_RESPONSES.items,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_INSERT',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('insert', request.query),
    }),
});

const bulkUpsertItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/upsert',
  operationId: 'upsertItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Upsert items in bulk',
  description:
    'Creates items or changes them. Attributes that a row names are set, null clears them, and all others stay.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: {
    raw: 'bulk',
    elementSchema: itemElementSchema,
    maxBytes: BULK_MAX_BYTES,
    maxElements: BULK_MAX_ELEMENTS,
    example: [
      { sku: 'DISK-2', nodeName: 'Storage->Disk', attributes: { Title: 'Disk 4 TB' } },
      {
        sku: 'SET-1',
        nodeName: 'Storage->Disk',
        attributes: { Title: 'Two disks' },
        bundleItems: [{ sku: 'DISK-1', quantity: 2 }],
      },
    ],
  },
  responses: BULK_RESPONSES.items,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_UPSERT',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('upsert', request.query),
    }),
});

const bulkUpdateItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/bulk/update',
  operationId: 'updateItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Update items in bulk',
  description: 'Changes items. A row with a SKU that does not exist fails.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: {
    raw: 'bulk',
    elementSchema: itemElementSchema,
    maxBytes: BULK_MAX_BYTES,
    maxElements: BULK_MAX_ELEMENTS,
    example: [{ sku: 'DISK-2', attributes: { Price: '139.90' } }],
  },
  responses: BULK_RESPONSES.items,
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_UPDATE',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('update', request.query),
    }),
});

const query = z
  .strictObject({
    skus: textList.optional(),
    ids: textList.optional(),
    nodeId: categoryReference.optional().meta({ description: 'Items of this category and of those below it' }),
    status: z.enum(['LIVE', 'DRAFT']).optional(),
    type: z.enum(['ITEM', 'BUNDLE']).optional(),
    q: searchText.optional().meta({ description: 'A part of the SKU or of the title' }),
    ...pageParameters,
    after: searchText.optional().meta({ description: 'The `next` of the previous page; not together with `offset`' }),
  })
  .refine(({ after, offset }) => after === undefined || offset === 0, {
    path: ['after'],
    message: 'page by "after" or by "offset", and not by both',
  });

const TYPE_CODES = { ITEM: 'I', BUNDLE: 'B' } as const;

const listItemsRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product',
  operationId: 'listItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'List items',
  description:
    'Items are listed in the byte order of their SKUs. Paging by `after` is stable, and as fast on the last page as on the first.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query,
  responses: { 200: { description: 'Items', schema: pageSchema(listedItemSchema) } },
  async handle({ query: { skus, ids, nodeId, status, type, q, offset, limit, after }, site }, { db }) {
    const code = status === undefined ? undefined : status === 'LIVE' ? 'L' : 'D';
    const filter = { skus, ids, category: nodeId, status: code, type: type && TYPE_CODES[type], q } as const;
    const page = await listItems(db, site, filter, { offset, limit, after });
    return { status: 200, body: presentPage(page, { offset, limit }, presentListedItem) };
  },
});

const readItemRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/:sku',
  operationId: 'getItem',
  family: 'catalog',
  tag: 'Items',
  summary: 'Read an item',
  description:
    'Percent-encode the SKU. An item with the SKU `attribute` is found by `GET /api-product/v1/product?skus=attribute`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ sku: z.string() }),
  responses: { 200: { description: 'The item', schema: itemSchema } },
  async handle({ params: { sku }, site }, { db }) {
    return { status: 200, body: presentItem(await findItem(db, site, sku)) };
  },
});

export const itemRoutes: readonly Route[] = [
  bulkDeleteItemsRoute,
  bulkInsertItemsRoute,
  bulkUpsertItemsRoute,
  bulkUpdateItemsRoute,
  listItemsRoute,
  readItemRoute,
];
