/** The tools that look at items. */
import type { schemas } from '@longshore/client';
import { z } from 'zod';
import { changesText, known, moreText, nextOf, paged, pagedOutput } from '../paging.js';
import { smallPage } from '../small.js';
import { defineTool } from '../tool.js';
import { shownChange } from './shown-change.js';

const row = z.looseObject({});
const LAST_CHANGES = 3;

const sku = z.string().min(1).max(500).describe('The SKU of an item');

export const findItems = defineTool({
  name: 'find_items',
  title: 'Find items',
  description:
    'Finds items (also variants and bundles) by a part of the SKU or title, by SKUs, by category or status, in pages. It answers the values of the attributes that you name; get_item has all of them.',
  effect: 'reads',
  input: z.strictObject({
    q: z.string().min(1).max(200).optional().describe('A part of the SKU or of the title'),
    skus: z.array(sku).min(1).max(50).optional().describe('Exactly these items'),
    nodeId: z.int().optional().describe('Items of this category and of those below it; see find_definitions'),
    status: z.enum(['LIVE', 'DRAFT']).optional(),
    type: z.enum(['ITEM', 'BUNDLE']).optional(),
    attributes: z.array(z.string().min(1)).max(50).default([]).describe('Names of attributes whose values you want'),
    ...paged,
  }),
  output: z.object({ items: z.array(row), count: z.int(), ...pagedOutput }),
  run: async ({ q, skus, nodeId, status, type, attributes, limit, after }, { api, signal }) => {
    const filter = known({ q, skus, nodeId, status, type, after });
    const page = await smallPage(limit, async (wanted) => {
      const { data, count, next } = await api.listItems({ ...filter, limit: wanted }, { signal });
      return { rows: data.map((item) => shownItem(item, attributes)), count, next };
    });
    const { rows, count = rows.length } = page;
    return {
      text: `${rows.length} of ${count} items. ${moreText(page)}`,
      data: { items: [...rows], count, ...nextOf(page) },
    };
  },
});

function shownItem({ attributes: values, title, image: _, ...item }: schemas.ListedItem, names: readonly string[]) {
  const { sku, type, status, nodeId, nodeName, parentSku, modifiedOn } = item;
  const wanted = names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]);
  return {
    ...known({ sku, title, type, status, nodeId, nodeName, parentSku, modifiedOn }),
    ...(names.length === 0 ? {} : { attributes: Object.fromEntries(wanted) }),
  };
}

export const getItem = defineTool({
  name: 'get_item',
  title: 'Read an item',
  description:
    'Reads an item with the values of all its attributes, and the last changes of it: who changed what, by which job. Long texts are cut, and say so.',
  effect: 'reads',
  input: z.strictObject({
    sku,
    attributes: z
      .array(z.string().min(1))
      .min(1)
      .max(50)
      .optional()
      .describe('Only the values of these attributes. Default: all'),
  }),
  output: z.object({ item: row, lastChanges: z.array(row) }),
  run: async ({ sku: wanted, attributes: names }, { api, signal }) => {
    const item = await api.getItem({ sku: wanted }, { signal });
    const { data } = await api.getItemHistory({ sku: wanted, limit: LAST_CHANGES }, { signal });
    const chosen = Object.entries(item.attributes).filter(([name]) => names === undefined || names.includes(name));
    const shown = { ...item, attributes: Object.fromEntries(chosen) };
    const text = `The item, and its last ${data.length} changes; item_history has all of them.`;
    return { text, data: { item: shown, lastChanges: data.map(shownChange) } };
  },
});

export const itemHistory = defineTool({
  name: 'item_history',
  title: 'Read the history of an item',
  description:
    'Lists the changes of an item, newest first, also of one that was deleted: when, by whom (actor), by which job and row, and the values before and after.',
  effect: 'reads',
  input: z.strictObject({ sku, ...paged }),
  output: z.object({ changes: z.array(row), ...pagedOutput }),
  run: async ({ sku: wanted, limit, after }, { api, signal }) => {
    const page = await smallPage(limit, async (most) => {
      const { data, next } = await api.getItemHistory({ sku: wanted, limit: most, ...known({ after }) }, { signal });
      return { rows: data.map(shownChange), next };
    });
    const text = `${changesText(page.rows.length)}, newest first. ${moreText(page)}`;
    return { text, data: { changes: [...page.rows], ...nextOf(page) } };
  },
});
