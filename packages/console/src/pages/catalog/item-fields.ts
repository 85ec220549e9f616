/** What an item has besides its values, such as its categories: how it is drafted, sent and compared. */
import type { schemas } from '@longshore/client';
import type { Draft, Drafts } from './drafts.js';

const ITEM_FIELDS = ['nodeId', 'alternateCategories', 'parentSku', 'channels', 'bundleItems'] as const;
export type ItemField = (typeof ITEM_FIELDS)[number];

/** No attribute has a name that begins with it. */
const SIGN = '_';
/** The draft that an item keeps the values of the parent from which it is separated. */
export const KEEPS_VALUES = `${SIGN}detach`;

export type Part = NonNullable<schemas.ListedItem['bundleItems']>[number];

/** The name of a field among the drafts of an item. */
export function draftName(field: ItemField): string {
  return `${SIGN}${field}`;
}

/** The field of a draft; undefined: it is a value of an attribute. */
export function fieldOf(name: string): ItemField | undefined {
  return ITEM_FIELDS.find((field) => draftName(field) === name);
}

/** A value of a field in the form in which two are compared: lists of categories and channels have no order, and none is empty. */
export function sameForm(field: ItemField, value: unknown): unknown {
  if (field === 'alternateCategories') return numbersOf(value);
  if (field === 'bundleItems') return partsOf(value).map(({ sku, quantity }) => ({ sku, quantity }));
  if (field === 'channels') return Array.isArray(value) ? numbersOf(value) : null;
  return value ?? null;
}

export function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? [...new Set(value.map(Number))].sort((a, b) => a - b) : [];
}

export function partsOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? (value as readonly Part[]) : [];
}

/** What is set back: only what is drafted as it is sent. */
export function fieldsOf(changed: Readonly<Record<string, unknown>>): readonly ItemField[] {
  return ITEM_FIELDS.filter((field) => field in changed);
}

/** The fields of an item as drafts name them. @param alternates the node ids of its categories of alternate trees */
export function presentFields(
  item: Pick<schemas.FoundItem, 'nodeId' | 'parentSku' | 'channels' | 'bundleItems'>,
  alternates: readonly number[],
): Readonly<Record<ItemField, unknown>> {
  const { nodeId, parentSku, channels, bundleItems } = item;
  return {
    nodeId,
    parentSku,
    alternateCategories: sameForm('alternateCategories', alternates),
    channels: sameForm('channels', channels),
    bundleItems: sameForm('bundleItems', bundleItems),
  };
}

/** Whether the alternate categories of an item are among what is drafted of it: items do not say them themselves. */
export function hasAlternates(drafts: Drafts[string] | undefined): boolean {
  return drafts !== undefined && draftName('alternateCategories') in drafts;
}

/** The row that writes what is drafted of an item. */
export function rowOf(sku: string, drafts: Readonly<Record<string, Draft>>): schemas.ItemInput {
  const attributes: Record<string, string | number | boolean | null> = {};
  const fields: Partial<Record<ItemField, unknown>> = {};
  for (const [name, { value }] of Object.entries(drafts)) {
    if (name === KEEPS_VALUES) continue;
    const field = fieldOf(name);
    if (field === undefined) attributes[name] = value as string | number | boolean | null;
    else fields[field] = value;
  }
  const detaches = drafts[KEEPS_VALUES] !== undefined && fields.parentSku === null;
  if (detaches) delete fields.parentSku;
  return {
    sku,
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(fields as Partial<schemas.ItemInput>),
    ...(detaches ? { detach: true } : {}),
  };
}
