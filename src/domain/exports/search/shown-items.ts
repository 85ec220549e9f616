/** Loads items as they are shown in a table: the values of some attributes, and long texts shortened. */
import { raw } from 'objection';
import type { Db } from '../../../../db/connection.js';
import { Item } from '../../../../db/models/item.js';
import { type ItemDetail, loadItemDetails } from '../../catalog/items/item-details.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';

/** Texts are cut to so many characters: a page of items whose values have a megabyte each is of no use to anybody. */
const SHOWN_CHARACTERS = 500;

export interface ShownItem extends ItemDetail {
  /** The names of the attributes whose text was cut. */
  readonly cut: readonly string[];
}

/** Which attributes are loaded. */
interface Wanted {
  readonly shown: readonly Pick<AttributeDefinition, 'id' | 'name'>[];
  /** Those that are shown as title and image. */
  readonly mapped: readonly Pick<AttributeDefinition, 'id'>[];
}

/** @param skus in the order of the result; those that are gone meanwhile are left out */
export async function shownItems(
  db: Db,
  siteId: number,
  skus: readonly string[],
  { shown, mapped }: Wanted,
): Promise<ShownItem[]> {
  const ids = [...shown, ...mapped].map(({ id }) => id);
  const rows = await Item.query(db)
    .where({ site_id: siteId })
    .whereIn('sku', [...skus])
    .select('*', raw(VALUES, [SHOWN_CHARACTERS + 1, SHOWN_CHARACTERS + 1, ids]));
  const bySku = new Map(rows.map((row) => [row.sku, row]));
  const items = skus.flatMap((sku) => bySku.get(sku) ?? []);
  const names = new Set(shown.map(({ name }) => name));
  return (await loadItemDetails(db, siteId, items)).map((detail) => cutTexts(detail, names));
}

/** The values of some attributes by their ids, in place of all: text of any length is not even sent. */
const VALUES = `(
  SELECT coalesce(jsonb_object_agg(wanted.id, CASE
    WHEN jsonb_typeof(own.value) = 'string' AND length(own.value #>> '{}') > ? THEN to_jsonb(left(own.value #>> '{}', ?))
    ELSE own.value END), '{}')
  FROM unnest(?::text[]) AS wanted (id) CROSS JOIN LATERAL (SELECT item.attributes -> wanted.id AS value) AS own
  WHERE own.value IS NOT NULL) AS attributes`;

/** Inherited values are those of the parent, which was loaded as a whole. */
function cutTexts(detail: ItemDetail, names: ReadonlySet<string>): ShownItem {
  const values = Object.entries(detail.values).filter(([name]) => names.has(name));
  const cut = values.flatMap(([name, value]) => (isLong(value) ? [name] : []));
  return {
    ...detail,
    values: Object.fromEntries(values.map(([name, value]) => [name, shortened(value)])),
    inherited: detail.inherited?.filter((name) => names.has(name)) ?? null,
    shown: Object.fromEntries(Object.entries(detail.shown).map(([name, value]) => [name, shortened(value)])),
    cut,
  };
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > SHOWN_CHARACTERS;
}

/** Not in the middle of a character of two units. */
function shortened(value: unknown): unknown {
  return isLong(value) ? value.slice(0, SHOWN_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '') : value;
}
