/** A category as the API shows it. */
import { z } from 'zod';
import type { Category } from '../../../db/models/category.js';
import type { CategoryAttributeDetail, CategoryDetail } from '../../domain/catalog/categories/category-details.js';
import type { CategoryTreeNode } from '../../domain/catalog/categories/category-tree.js';

/** The short form of a category: its ids and its name. */
export const namedNode = z.object({ id: z.string(), nodeId: z.int(), name: z.string() });

export const categoryAttributeSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  required: z
    .boolean()
    .meta({ description: 'Whether it is mandatory: items of the category are DRAFT without a value' }),
  inherited: z.boolean().meta({ description: 'Whether it is assigned to a category above' }),
});

export const categorySchema = namedNode.extend({
  type: z.enum(['PRIMARY', 'ALTERNATE']),
  order: z.int(),
  active: z.boolean(),
  attributes: z.array(categoryAttributeSchema),
  children: z.array(namedNode),
  breadcrumbs: z.array(namedNode).meta({ description: 'From the root to the category itself' }),
  createdOn: z.iso.datetime(),
  modifiedOn: z.iso.datetime(),
});

type PresentedCategory = z.output<typeof categorySchema>;

export function presentCategory({ category, attributes, children, lineage }: CategoryDetail): PresentedCategory {
  return {
    ...presentNode(category),
    type: category.tree,
    order: category.sort_order,
    active: category.active,
    attributes: attributes.map(presentCategoryAttribute),
    children: children.map(presentNode),
    breadcrumbs: lineage.map(presentNode),
    createdOn: category.created_at.toISOString(),
    modifiedOn: category.updated_at.toISOString(),
  };
}

/** The short form of a category: its ids and its name. */
export function presentNode({
  id,
  node_id,
  name,
}: Pick<Category, 'id' | 'node_id' | 'name'>): z.output<typeof namedNode> {
  return { id, nodeId: node_id, name };
}

export function presentCategoryAttribute(attribute: CategoryAttributeDetail): z.output<typeof categoryAttributeSchema> {
  const { id, name, type, required, inherited } = attribute;
  return { id, name, type, required, inherited };
}

const treeNode = namedNode.extend({ type: z.enum(['PRIMARY', 'ALTERNATE']), order: z.int(), active: z.boolean() });

export const categoryTreeSchema = treeNode.extend({
  get children(): z.ZodArray<typeof categoryTreeSchema> {
    return z.array(categoryTreeSchema);
  },
});

type PresentedTreeNode = z.output<typeof categoryTreeSchema>;

/** A node with all nodes below it. Trees are at most 64 levels deep. */
export function presentTree({ category, children }: CategoryTreeNode): PresentedTreeNode {
  return {
    ...presentNode(category),
    type: category.tree,
    order: category.sort_order,
    active: category.active,
    children: children.map(presentTree),
  };
}
