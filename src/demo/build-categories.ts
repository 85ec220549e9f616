/** Steps 5, 6 and 8: the primary tree, what its categories ask of items, and an alternate tree for a sale. */
import type { ApiClient } from './api-client.js';
import { expectEqual } from './expect-equal.js';
import type { AlternateTree, CategoryNode } from './sample-catalog.js';
import { count, type Screen } from './screen.js';

const CATEGORY = '/api-category/v1/category';

/** A category that was made, by its node id. */
export interface MadeCategory {
  readonly nodeId: number;
  readonly node: CategoryNode;
}

/** @returns the categories, parents before their children */
export async function createPrimaryTree(
  api: ApiClient,
  nodes: readonly CategoryNode[],
  screen: Screen,
): Promise<MadeCategory[]> {
  const made: MadeCategory[] = [];
  for (const node of nodes) await createBranch(api, node, undefined, made);
  screen.step('Categories', `${made.length} in the primary tree, ${nodes.length} of them at the top`);
  return made;
}

async function createBranch(
  api: ApiClient,
  node: CategoryNode,
  parentNodeId: number | undefined,
  made: MadeCategory[],
): Promise<void> {
  const { body } = await api.post<{ nodeId: number }>(CATEGORY, { name: node.name, parentNodeId });
  made.push({ nodeId: body.nodeId, node });
  for (const child of node.children) await createBranch(api, child, body.nodeId, made);
}

/** Categories below inherit what is assigned to one above. */
export async function assignAttributes(
  api: ApiClient,
  categories: readonly MadeCategory[],
  screen: Screen,
): Promise<void> {
  const assigned = categories.filter(({ node }) => node.assign.length > 0);
  for (const { nodeId, node } of assigned) {
    const itemAttributes = node.assign.map(({ name, mandatory }) => ({ action: 'SET', name, mandatory }));
    await api.post(`${CATEGORY}/item-attribute`, { nodeId, itemAttributes });
  }
  screen.step('Assignment', `attributes assigned to ${assigned.length} categories; those below inherit them`);
}

/** @returns node ids of the sale's categories, in order */
export async function createSale(api: ApiClient, sale: AlternateTree, screen: Screen): Promise<number[]> {
  const { body: root } = await api.post<{ nodeId: number }>(CATEGORY, { name: sale.name, type: 'ALTERNATE' });
  const nodeIds: number[] = [];
  for (const { name, skus } of sale.children) {
    const { body } = await api.post<{ nodeId: number }>(CATEGORY, { name, parentNodeId: root.nodeId });
    const items = skus.map((sku) => ({ sku, action: 'SET' }));
    const answer = await api.post<{ failed: unknown[] }>(`${CATEGORY}/item`, { nodeId: body.nodeId, items });
    expectEqual(`items that could not go into "${name}"`, answer.body.failed, []);
    nodeIds.push(body.nodeId);
  }
  const items = sale.children.reduce((sum, { skus }) => sum + skus.length, 0);
  screen.step(sale.name, `an alternate tree of ${sale.children.length} categories with ${count(items)} items`);
  return nodeIds;
}
