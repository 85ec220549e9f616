/** The endpoints that search items for people who look at them, and count what matches. */
import { z } from 'zod';
import { MAX_SKU_CHARACTERS } from '../../../domain/catalog/items/item-key.js';
import { MAX_NAME_CHARACTERS } from '../../../domain/catalog/model/attribute-definition.js';
import { loadAttributes, resolveItemMatch } from '../../../domain/exports/resolve-match.js';
import { attributesNamed, countItems, searchItems } from '../../../domain/exports/search-items.js';
import { defineRoute } from '../../define-route.js';
import { givenMatch, itemMatch } from '../../export-match.js';
import { searchText } from '../../list-query.js';
import { plainText } from '../../plain-text.js';
import { listedItemSchema, presentListedItem } from '../../presenters/present-item.js';

const MAX_PAGE = 200;
const MAX_SHOWN = 200;

const sku = plainText(MAX_SKU_CHARACTERS);

const search = {
  match: itemMatch.default({}).meta({ description: 'The conditions of an export by filter' }),
  q: searchText.optional().meta({ description: 'A part of the SKU or of the title, in any case' }),
  skuPrefix: sku.optional().meta({ description: 'How the SKU begins: found by an index, in a stage of any size' }),
  after: sku.optional().meta({ description: 'Goes on behind this SKU' }),
  before: sku.optional().meta({ description: 'Goes downwards from this SKU' }),
  fromEnd: z.literal(true).optional().meta({ description: 'Goes downwards from the last item' }),
} as const;

const ONE_WAY = { path: ['after'], message: 'begin by one of "after", "before" and "fromEnd"' };

function goesOneWay(given: { readonly [way in 'after' | 'before' | 'fromEnd']?: unknown }): boolean {
  return [given.after, given.before, given.fromEnd].filter((way) => way !== undefined).length <= 1;
}

const next = z
  .object({ after: z.string().optional(), before: z.string().optional() })
  .nullable()
  .meta({ description: 'Send this member instead to go on; null: there is nothing further', id: 'ItemSearchNext' });

export const searchItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/search',
  operationId: 'searchItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Search items',
  description:
    'Items in the byte order of their SKUs that meet the conditions. Each answer comes within a fraction of a second: if few items match, it has those found so far, or none, and `next` goes on. Texts are shortened to 500 characters, and `cut` names them.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: {
    schema: z
      .strictObject({
        ...search,
        attributes: z
          .array(plainText(MAX_NAME_CHARACTERS))
          .max(MAX_SHOWN)
          .default([])
          .meta({ description: 'The names of attributes whose values are shown, besides title and image' }),
        limit: z.int().min(1).max(MAX_PAGE).default(50),
      })
      .refine(goesOneWay, ONE_WAY),
    example: { match: { status: 'LIVE' }, q: 'disk', attributes: ['Title'] },
  },
  responses: {
    200: {
      description: 'Items, and where to go on',
      schema: z
        .object({
          items: z.array(
            listedItemSchema
              .extend({ cut: z.array(z.string()).optional().meta({ description: 'Attributes whose text is longer' }) })
              .meta({ id: 'FoundItem' }),
          ),
          next,
        })
        .meta({ id: 'FoundItems' }),
    },
  },
  async handle({ body: { match, q, skuPrefix, after, before, fromEnd, attributes, limit }, site }, { db }) {
    const defined = await loadAttributes(db, site.siteId);
    const resolved = await resolveItemMatch(db, site.siteId, givenMatch(match, ['I', 'B']), defined);
    const page = { from: { after, before, fromEnd }, limit, shown: attributesNamed(attributes, defined) };
    const found = await searchItems(db, site, { match: resolved, q, skuPrefix }, page);
    const items = found.items.map((item) => ({
      ...presentListedItem(item),
      ...(item.cut.length === 0 ? {} : { cut: [...item.cut] }),
    }));
    return { status: 200, body: { items, next: found.next === null ? null : { ...found.next } } };
  },
});

export const countItemsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/count',
  operationId: 'countItems',
  family: 'catalog',
  tag: 'Items',
  summary: 'Count items',
  description:
    'How many items meet the conditions. Each answer comes within a fraction of a second: where `next` is not null, it counts those so far, and a request with `next` counts on.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: {
    schema: z.strictObject(search).refine(goesOneWay, ONE_WAY),
    example: { match: { type: ['ITEM'] } },
  },
  responses: {
    200: {
      description: 'The number, and where to count on',
      schema: z.object({ count: z.int(), next }).meta({ id: 'ItemCount' }),
    },
  },
  async handle({ body: { match, q, skuPrefix, after, before, fromEnd }, site }, { db }) {
    const defined = match.properties === undefined ? [] : await loadAttributes(db, site.siteId);
    const resolved = await resolveItemMatch(db, site.siteId, givenMatch(match, ['I', 'B']), defined);
    const { count, next } = await countItems(db, site, { match: resolved, q, skuPrefix }, { after, before, fromEnd });
    return { status: 200, body: { count, next: next === null ? null : { ...next } } };
  },
});
