/** What an element of a bulk item request looks like: for the documentation; the pipeline judges each element itself. */
import { z } from 'zod';

const attributeValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const itemElementSchema = z
  .object({
    sku: z.string().max(255),
    type: z.enum(['ITEM']).optional(),
    nodeName: z.string().optional().meta({ description: 'Path of the category: `Storage->Disk`' }),
    nodeId: z.int().optional(),
    parentSku: z.string().nullable().optional().meta({ description: 'Of a variant: the item it varies' }),
    attributes: z.record(z.string(), attributeValue).optional().meta({ description: 'Name → value; null clears' }),
    attributeValues: z.array(z.object({ name: z.string(), value: attributeValue })).optional(),
  })
  .meta({
    description: 'An item',
    examples: [{ sku: 'A-1', nodeName: 'Storage->Disk', attributes: { Title: 'A disk', Price: 79.9 } }],
  });
