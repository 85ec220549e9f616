/** The elements of a bulk request of items, for the documentation only: the import checks each element itself. */
import { z } from 'zod';
import { MAX_SKU_CHARACTERS } from '../../../domain/catalog/items/item-key.js';

const attributeValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const itemElementSchema = z
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
    alternateCategories: z
      .array(z.union([z.string(), z.int()]))
      .nullable()
      .optional()
      .meta({
        description: 'All categories of alternate trees that it is in: paths or node ids. null takes it out of all',
      }),
    channels: z.array(z.int()).nullable().optional().meta({ description: 'The channels that it is in; null: all' }),
  })
  .meta({
    id: 'ItemInput',
    description: 'An item',
    examples: [{ sku: 'A-1', nodeName: 'Storage->Disk', attributes: { Title: 'A disk', Price: 79.9 } }],
  });
