/** GET /api-product/v1/product/{sku} */
import { z } from 'zod';
import { findItem } from '../../../domain/catalog/items/find-item.js';
import { defineRoute } from '../../define-route.js';
import { itemSchema, presentItem } from '../../presenters/present-item.js';

export const readItemRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/:sku',
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
