/** Which records are meant: the conditions of exports by filter, and of searches. */
import { z } from 'zod';
import type { ItemTypeCode } from '../../db/models/item.js';
import { MAX_SKU_CHARACTERS } from '../domain/catalog/items/item-key.js';
import { ATTRIBUTE_TYPE_NAMES, MAX_NAME_CHARACTERS } from '../domain/catalog/model/attribute-definition.js';
import type { GivenItemMatch } from '../domain/exports/resolve-match.js';
import { FILTER_OPERATORS } from '../domain/kernel/value-filter.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namesOneAttribute } from './attribute-reference.js';
import { categoryReference } from './category-reference.js';
import { leaveOutSafeBounds } from './json-schema.js';
import { searchText } from './list-query.js';
import { plainText } from './plain-text.js';

const MAX_NAMED = 10_000;
const MAX_LISTED = 1_000;

const skuText = plainText(MAX_SKU_CHARACTERS);
const nameText = plainText(MAX_NAME_CHARACTERS);
const idText = z.string().min(1, 'is empty').max(64, 'is not an id');

/** One value or a list. Problems are reported for the value, not for a union of the two forms. */
function listOf<T extends z.ZodType>(element: T, max: number) {
  const list = z.array(element).min(1, 'is empty').max(max, `accepts at most ${max} values`);
  const { $schema: _, ...documented } = z.toJSONSchema(list, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => leaveOutSafeBounds(jsonSchema),
  });
  return z
    .preprocess((given) => (given === undefined || Array.isArray(given) ? given : [given]), list)
    .meta(documented);
}

const times = z
  .strictObject({
    op: z.enum(['RANGE', 'GTE', 'LTE']).optional().meta({ description: 'Default RANGE' }),
    value: z.string().optional(),
    fromValue: z.string().optional(),
    toValue: z.string().optional(),
  })
  .meta({ description: 'ISO 8601; both ends are included, and a day means the whole day' });

const property = z
  .strictObject({
    ...attributeFields,
    op: z.enum(FILTER_OPERATORS),
    value: z.unknown().optional(),
    fromValue: z.unknown().optional(),
    toValue: z.unknown().optional(),
  })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);

const changes = { createdAt: times.optional(), updatedAt: times.optional() };
const within = listOf(categoryReference, MAX_LISTED)
  .optional()
  .meta({ description: 'Records in these categories (ids or node ids) and in those below them' });

export const itemMatch = z.strictObject({
  id: listOf(idText, MAX_NAMED).optional(),
  sku: listOf(skuText, MAX_NAMED).optional(),
  type: listOf(z.enum(['ITEM', 'BUNDLE']), 2).optional(),
  categoryId: within,
  status: z.enum(['LIVE', 'DRAFT']).optional(),
  ...changes,
  properties: z.array(property).max(100).optional(),
});

/** Exports have what a search finds, too. */
export const exportedItems = itemMatch.extend({
  q: searchText.optional().meta({ description: 'A part of the SKU or of the title, in any case, as searches find it' }),
  skuPrefix: skuText.optional().meta({ description: 'How the SKU begins' }),
});

const ITEM_TYPES: Readonly<Record<'ITEM' | 'BUNDLE', ItemTypeCode>> = { ITEM: 'I', BUNDLE: 'B' };

/** @param types those that are meant where the match names none */
export function givenMatch(
  { type, status, ...match }: z.output<typeof itemMatch> & Partial<z.output<typeof exportedItems>>,
  types: readonly ItemTypeCode[],
): GivenItemMatch {
  const code = status === undefined ? undefined : status === 'LIVE' ? 'L' : 'D';
  return {
    ...match,
    types: type === undefined ? types : [...new Set(type.map((one) => ITEM_TYPES[one]))],
    status: code,
  };
}

export const attributeMatch = z.strictObject({
  id: listOf(idText, MAX_NAMED).optional(),
  name: listOf(nameText, MAX_NAMED).optional(),
  type: listOf(z.enum(ATTRIBUTE_TYPE_NAMES), ATTRIBUTE_TYPE_NAMES.length).optional(),
  ...changes,
});

export const categoryMatch = z.strictObject({
  id: listOf(categoryReference, MAX_NAMED).optional(),
  categoryId: within,
  type: z.enum(['PRIMARY', 'ALTERNATE']).optional(),
  status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  ...changes,
});
