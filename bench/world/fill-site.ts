/** Gives a site the attributes and categories of the shop, over HTTP as a client would. */
import { ATTRIBUTES, CATEGORIES, ROOT_CATEGORY } from '../data/shop-attributes.js';
import type { ApiClient } from './api-client.js';

export async function fillSite(client: ApiClient): Promise<void> {
  const { jobId } = await client.post<{ jobId: string }>('/api-product/v1/product/attribute/bulk', ATTRIBUTES);
  await client.jobEnd(jobId);
  const root = await client.post<{ nodeId: number }>('/api-category/v1/category', { name: ROOT_CATEGORY });
  for (const name of CATEGORIES) await client.post('/api-category/v1/category', { name, parentNodeId: root.nodeId });
  await client.post('/api-category/v1/category/item-attribute', {
    nodeId: root.nodeId,
    itemAttributes: ATTRIBUTES.map(({ name }) => ({ name })),
  });
}
