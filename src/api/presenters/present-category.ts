/** A category, and a tree of categories, as clients see them. */
import { z } from 'zod';
import type { CategoryDetail } from '../../domain/catalog/categories/category-details.js';
import type { CategoryTreeNode } from '../../domain/catalog/categories/category-tree.js';
import type { ChildCategory, PlacedCategory } from '../../domain/catalog/categories/child-categories.js';
import { categoryAttributeSchema, namedNode, presentCategoryAttribute, presentNode } from './category-node.js';

export const categorySchema = namedNode
  .extend({
    type: z.enum(['PRIMARY', 'ALTERNATE']),
    order: z.int(),
    active: z.boolean(),
    attributes: z.array(categoryAttributeSchema),
    children: z.array(namedNode),
    breadcrumbs: z.array(namedNode).meta({ description: 'From the root to the category itself' }),
    createdOn: z.iso.datetime(),
    modifiedOn: z.iso.datetime(),
  })
  .meta({ id: 'Category' });

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

const treeNode = namedNode.extend({ type: z.enum(['PRIMARY', 'ALTERNATE']), order: z.int(), active: z.boolean() });

export const childCategorySchema = treeNode
  .extend({ childCount: z.int().meta({ description: 'How many categories are directly below it' }) })
  .meta({ id: 'ChildCategory' });

export const placedCategorySchema = childCategorySchema
  .extend({
    below: z.int().meta({ description: 'How many categories are below it, on all levels' }),
    breadcrumbs: z.array(namedNode).meta({ description: 'From the root to the category itself' }),
  })
  .meta({ id: 'PlacedCategory' });

export const categoryTreeSchema = treeNode
  .extend({
    get children(): z.ZodArray<typeof categoryTreeSchema> {
      return z.array(categoryTreeSchema);
    },
  })
  .meta({ id: 'CategoryTree' });

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

export function presentChild({ category, children }: ChildCategory): z.output<typeof childCategorySchema> {
  const { tree: type, sort_order: order, active } = category;
  return { ...presentNode(category), type, order, active, childCount: children };
}

export function presentPlaced(placed: PlacedCategory): z.output<typeof placedCategorySchema> {
  return { ...presentChild(placed), below: placed.below, breadcrumbs: placed.lineage.map(presentNode) };
}
