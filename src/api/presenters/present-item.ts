/** An item as the API shows it. */
import { z } from 'zod';
import type { ItemDetail } from '../../domain/catalog/items/item-details.js';
import { itemId } from '../../domain/kernel/identifier.js';

export const itemSchema = z
  .object({
    itemId: z.string(),
    sku: z.string(),
    type: z.enum(['ITEM', 'BUNDLE']),
    status: z.enum(['LIVE', 'DRAFT']),
    nodeId: z.int().nullable(),
    nodeName: z.string().nullable().meta({ description: 'The path of its category, as bulk writes accept it' }),
    parentSku: z.string().nullable(),
    channels: z.array(z.int()).nullable().meta({ description: 'null: visible in every channel' }),
    attributes: z.record(z.string(), z.unknown()).meta({ description: 'Values by attribute name' }),
    inherited: z
      .array(z.string())
      .optional()
      .meta({ description: 'For a variant: the attributes whose values it inherits from its parent' }),
    bundleItems: z
      .array(z.object({ sku: z.string(), quantity: z.int() }))
      .optional()
      .meta({ description: 'For a bundle: the items that it contains' }),
    createdOn: z.iso.datetime(),
    modifiedOn: z.iso.datetime(),
  })
  .meta({ id: 'Item' });

type PresentedItem = z.output<typeof itemSchema>;

export function presentItem({ item, nodePath, values, inherited, components }: ItemDetail): PresentedItem {
  return {
    itemId: itemId(item.site_id, item.row_no),
    sku: item.sku,
    type: item.type === 'B' ? 'BUNDLE' : 'ITEM',
    status: item.status === 'L' ? 'LIVE' : 'DRAFT',
    nodeId: item.node_id,
    nodeName: nodePath,
    parentSku: item.parent_sku,
    channels: item.channels,
    attributes: { ...values },
    ...(inherited === null ? {} : { inherited: [...inherited] }),
    ...(components === null ? {} : { bundleItems: components.map(({ sku, quantity }) => ({ sku, quantity })) }),
    createdOn: item.created_at.toISOString(),
    modifiedOn: item.updated_at.toISOString(),
  };
}

export const listedItemSchema = itemSchema
  .extend({
    title: z.unknown().optional().meta({ description: 'The value of the attribute mapped to `title`' }),
    image: z.unknown().optional().meta({ description: 'The value of the attribute mapped to `image`' }),
  })
  .meta({ id: 'ListedItem' });

/** An item in a list, with its title and image. */
export function presentListedItem(detail: ItemDetail): z.output<typeof listedItemSchema> {
  return { ...presentItem(detail), ...detail.shown };
}
