/** A category in its short form, and an attribute of a category, as the API shows them. */
import { z } from 'zod';
import type { Category } from '../../../db/models/category.js';
import type { CategoryAttributeDetail } from '../../domain/catalog/categories/category-details.js';

/** The short form of a category: its ids and its name. */
export const namedNode = z.object({ id: z.string(), nodeId: z.int(), name: z.string() }).meta({ id: 'CategoryName' });

/** The short form of a category: its ids and its name. */
export function presentNode({
  id,
  node_id,
  name,
}: Pick<Category, 'id' | 'node_id' | 'name'>): z.output<typeof namedNode> {
  return { id, nodeId: node_id, name };
}

export const categoryAttributeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    required: z
      .boolean()
      .meta({ description: 'Whether it is mandatory: items of the category are DRAFT without a value' }),
    inherited: z.boolean().meta({ description: 'Whether it is assigned to a category above' }),
  })
  .meta({ id: 'CategoryAttribute' });

export function presentCategoryAttribute(attribute: CategoryAttributeDetail): z.output<typeof categoryAttributeSchema> {
  const { id, name, type, required, inherited } = attribute;
  return { id, name, type, required, inherited };
}
