/** The columns of the table of items: fields of every item, and attributes. */
import type { Attribute } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';
import type { Definitions } from './use-attributes.js';
import { isNumeric } from './values.js';

/** Fields are named so that no attribute is likely to have the name. */
export const FIELDS = ['@status', '@type', '@category', '@changed'] as const;
export type Field = (typeof FIELDS)[number];

export interface ItemColumn {
  readonly id: string;
  readonly title: string;
  readonly width: number;
  readonly isNumber: boolean;
  /** Undefined: a field. */
  readonly attribute?: Attribute;
}

export const useColumnText = textsOf('item-columns', {
  sku: { en: 'SKU', de: 'SKU' },
  '@status': { en: 'Status', de: 'Status' },
  '@type': { en: 'Type', de: 'Art' },
  '@category': { en: 'Category', de: 'Kategorie' },
  '@changed': { en: 'Last changed', de: 'Zuletzt geändert' },
  LIVE: { en: 'Live', de: 'Live' },
  DRAFT: { en: 'Draft', de: 'Entwurf' },
  ITEM: { en: 'Item', de: 'Artikel' },
  BUNDLE: { en: 'Bundle', de: 'Set' },
});

const FIRST_ATTRIBUTES = 6;
const TITLE_WIDTH = 280;
const WIDTHS: Readonly<Record<Field, number>> = {
  '@status': 110,
  '@type': 110,
  '@category': 240,
  '@changed': 180,
};

function isField(id: string): id is Field {
  return FIELDS.some((one) => one === id);
}

/** What is shown until somebody chooses: who it is, where it is, and the first attributes. */
export function firstColumns({ attributes, roles }: Definitions): readonly string[] {
  const others = attributes.filter(({ name }) => name !== roles.sku && name !== roles.title);
  const title = roles.title === undefined ? [] : [roles.title];
  return [...title, '@status', '@category', ...others.slice(0, FIRST_ATTRIBUTES).map(({ name }) => name)];
}

/** @param ids those that are no columns here are left out: an attribute may have been deleted */
export function columnsOf(
  ids: readonly string[],
  { byName, roles }: Definitions,
  t: ReturnType<typeof useColumnText>,
): readonly ItemColumn[] {
  return [...new Set(ids)].flatMap((id): ItemColumn[] => {
    const attribute = byName.get(id);
    if (attribute !== undefined) {
      return [
        {
          id,
          title: id,
          width: id === roles.title ? TITLE_WIDTH : widthOf(attribute),
          isNumber: isNumeric(attribute),
          attribute,
        },
      ];
    }
    return isField(id) ? [{ id, title: t(id), width: WIDTHS[id], isNumber: false }] : [];
  });
}

function widthOf(attribute: Attribute): number {
  const atLeast = attribute.name.length * 8 + 34;
  const usual = isNumeric(attribute) || attribute.type === 'BOOLEAN' ? 120 : attribute.type === 'DATETIME' ? 150 : 200;
  return Math.max(usual, Math.min(atLeast, 240));
}
