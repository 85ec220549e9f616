/** Gives a site the attributes and categories of the shop, over HTTP as a client would. */
import { ATTRIBUTES, CATEGORIES, ROOT_CATEGORY } from '../data/shop-attributes.js';
import type { ApiClient } from './api-client.js';

export async function fillSite({ typed }: ApiClient): Promise<void> {
  const { failed } = await typed.bulk('createAttributes', ATTRIBUTES);
  if (failed.length > 0) throw new Error(`attributes of the shop were refused: ${JSON.stringify(failed)}`);
  const { nodeId } = await typed.createCategory({ body: { name: ROOT_CATEGORY } });
  for (const name of CATEGORIES) await typed.createCategory({ body: { name, parentNodeId: nodeId } });
  const itemAttributes = ATTRIBUTES.map(({ name }) => ({ name }));
  await typed.setCategoryAttributes({ body: { nodeId, itemAttributes } });
}
