/** The endpoints of items. */
import { z } from 'zod';
import { findItem } from '../../domain/catalog/items/find-item.js';
import { listItems } from '../../domain/catalog/items/list-items.js';
import { categoryReference } from '../category-reference.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, searchText, textList } from '../list-query.js';
import { givenName, nameInQuery } from '../named-in-query.js';
import { itemSchema, listedItemSchema, presentItem, presentListedItem } from '../presenters/present-item.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';
import { bulkInsertItemsRoute, bulkUpdateItemsRoute, bulkUpsertItemsRoute } from './items/bulk.js';
import { bulkDeleteItemsRoute } from './items/bulk-delete.js';
import { countItemsRoute, searchItemsRoute } from './items/search.js';

const query = z
  .strictObject({
    skus: textList.optional(),
    ids: textList.optional(),
    nodeId: categoryReference.optional().meta({ description: 'Items of this category and of those below it' }),
    status: z.enum(['LIVE', 'DRAFT']).optional(),
    type: z.enum(['ITEM', 'BUNDLE']).optional(),
    parentSku: searchText.optional().meta({ description: 'The variants of this item' }),
    partSku: searchText.optional().meta({ description: 'The bundles that contain this item' }),
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
  async handle({ query: { nodeId, status, type, offset, limit, after, ...given }, site }, { db }) {
    const code = status === undefined ? undefined : status === 'LIVE' ? 'L' : 'D';
    const filter = { ...given, category: nodeId, status: code, type: type && TYPE_CODES[type] } as const;
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
    'Percent-encode the SKU. An item whose SKU is no part of a path, such as `..`, or is that of another address, such as `attribute`, is read by `GET /api-product/v1/product/-?sku=`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ sku: z.string() }),
  query: z.strictObject({ sku: nameInQuery('SKU') }),
  responses: { 200: { description: 'The item', schema: itemSchema } },
  async handle({ params, query: given, site }, { db }) {
    const sku = givenName('sku', params.sku, given.sku);
    return { status: 200, body: presentItem(await findItem(db, site, sku)) };
  },
});

export const itemRoutes: readonly Route[] = [
  bulkDeleteItemsRoute,
  bulkInsertItemsRoute,
  bulkUpsertItemsRoute,
  bulkUpdateItemsRoute,
  countItemsRoute,
  searchItemsRoute,
  listItemsRoute,
  readItemRoute,
];
