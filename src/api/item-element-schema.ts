/** What an element of a bulk item request looks like: for the documentation; the pipeline judges each element itself. */

import { z } from 'zod';
import { MAX_SKU_CHARACTERS } from '../domain/catalog/items/item-key.js';

const attributeValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const itemElementSchema = z
  .object({
    sku: z.string().max(MAX_SKU_CHARACTERS),
    type: z
      .enum(['ITEM', 'BUNDLE'])
      .optional()
      .meta({ description: 'Of what is new: an ITEM, unless it holds others' }),
    nodeName: z.string().optional().meta({ description: 'Path of the category: `Storage->Disk`' }),
    nodeId: z.int().optional(),
    parentSku: z.string().nullable().optional().meta({ description: 'Of a variant: the item it varies' }),
    detach: z.boolean().optional().meta({ description: 'Leaves the parent and keeps the values inherited of it' }),
    attributes: z.record(z.string(), attributeValue).optional().meta({ description: 'Name → value; null clears' }),
    attributeValues: z.array(z.object({ name: z.string(), value: attributeValue })).optional(),
    bundleItems: z
      .array(z.object({ sku: z.string().max(MAX_SKU_CHARACTERS), quantity: z.int().min(1) }))
      .nullable()
      .optional()
      .meta({ description: 'Of a bundle: all that it holds. Left out: as before; null: nothing' }),
  })
  .meta({
    description: 'An item',
    examples: [{ sku: 'A-1', nodeName: 'Storage->Disk', attributes: { Title: 'A disk', Price: 79.9 } }],
  });
