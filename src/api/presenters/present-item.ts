/** An item as the API shows it. */
import { z } from 'zod';
import type { ItemDetail } from '../../domain/catalog/items/item-details.js';
import { itemId } from '../../domain/kernel/identifier.js';

export const itemSchema = z.object({
  itemId: z.string(),
  sku: z.string(),
  type: z.enum(['ITEM', 'BUNDLE']),
  status: z.enum(['LIVE', 'DRAFT']),
  nodeId: z.int().nullable(),
  nodeName: z.string().nullable().meta({ description: 'The path of its category, as bulk writes take it' }),
  parentSku: z.string().nullable(),
  channels: z.array(z.int()).nullable().meta({ description: 'Null: seen under every channel' }),
  attributes: z.record(z.string(), z.unknown()).meta({ description: 'Values by attribute name' }),
  inherited: z
    .array(z.string())
    .optional()
    .meta({ description: "Of a variant: the attributes whose values are its parent's" }),
  bundleItems: z
    .array(z.object({ sku: z.string(), quantity: z.int() }))
    .optional()
    .meta({ description: 'Of a bundle: what it holds' }),
  createdOn: z.iso.datetime(),
  modifiedOn: z.iso.datetime(),
});

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

export const listedItemSchema = itemSchema.extend({
  title: z.unknown().optional().meta({ description: 'The value of the attribute mapped to `title`' }),
  image: z.unknown().optional().meta({ description: 'The value of the attribute mapped to `image`' }),
});

/** An item in a list, where its title and image are shown besides. */
export function presentListedItem(detail: ItemDetail): z.output<typeof listedItemSchema> {
  return { ...presentItem(detail), ...detail.shown };
}
