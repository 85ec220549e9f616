/** Steps 5, 6 and 8: the primary tree, the attributes of its categories, and an alternate tree for a sale. */
import type { LongshoreClient } from '@longshore/client';
import { expectEqual } from '../expect-equal.js';
import type { AlternateTree, CategoryNode } from '../sample-catalog.js';
import { count, type Screen } from '../screen.js';

/** A category that was created, with its node id. */
export interface CreatedCategory {
  readonly nodeId: number;
  readonly node: CategoryNode;
}

/** @returns the categories, parents before their children */
export async function createPrimaryTree(
  api: LongshoreClient,
  nodes: readonly CategoryNode[],
  screen: Screen,
): Promise<CreatedCategory[]> {
  const made: CreatedCategory[] = [];
  for (const node of nodes) await createBranch(api, node, undefined, made);
  screen.step('Categories', `${made.length} in the primary tree, ${nodes.length} of them at the top`);
  return made;
}

async function createBranch(
  api: LongshoreClient,
  node: CategoryNode,
  parentNodeId: number | undefined,
  made: CreatedCategory[],
): Promise<void> {
  const parent = parentNodeId === undefined ? {} : { parentNodeId };
  const { nodeId } = await api.createCategory({ body: { name: node.name, ...parent } });
  made.push({ nodeId, node });
  for (const child of node.children) await createBranch(api, child, nodeId, made);
}

/** Assigns attributes to categories. Categories below inherit them. */
export async function assignAttributes(
  api: LongshoreClient,
  categories: readonly CreatedCategory[],
  screen: Screen,
): Promise<void> {
  const assigned = categories.filter(({ node }) => node.assign.length > 0);
  for (const { nodeId, node } of assigned) {
    const itemAttributes = node.assign.map(({ name, mandatory }) => ({ action: 'SET' as const, name, mandatory }));
    await api.setCategoryAttributes({ body: { nodeId, itemAttributes } });
  }
  screen.step('Assignment', `attributes assigned to ${assigned.length} categories; those below inherit them`);
}

/** @returns node ids of the sale's categories, in order */
export async function createSale(api: LongshoreClient, sale: AlternateTree, screen: Screen): Promise<number[]> {
  const root = await api.createCategory({ body: { name: sale.name, type: 'ALTERNATE' } });
  const nodeIds: number[] = [];
  for (const { name, skus } of sale.children) {
    const { nodeId } = await api.createCategory({ body: { name, parentNodeId: root.nodeId } });
    const items = skus.map((sku) => ({ sku, action: 'SET' as const }));
    const { failed } = await api.setCategoryItems({ body: { nodeId, items } });
    expectEqual(`items that could not go into "${name}"`, failed, []);
    nodeIds.push(nodeId);
  }
  const items = sale.children.reduce((sum, { skus }) => sum + skus.length, 0);
  screen.step(sale.name, `an alternate tree of ${sale.children.length} categories with ${count(items)} items`);
  return nodeIds;
}
