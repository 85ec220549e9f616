/** The values that variants inherit from their parents. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import { Item } from '../../../../db/models/item.js';
import { definitionFromColumns } from '../attribute-record.js';
import { loadCategoryDetails } from '../categories/category-details.js';
import { isInherited } from '../is-inherited.js';

type Values = Readonly<Record<string, unknown>>;

const NONE: Values = {};

/**
 * Returns a function for the values that an item inherits from its parent, by attribute id: those of inheritable
 * attributes that the item's category has and for which the item has no value itself. The number of queries is
 * constant, and zero without variants.
 */
export async function loadInheritedValues(
  db: Db,
  siteId: number,
  items: readonly Item[],
): Promise<(item: Item) => Values> {
  const variants = items.filter(({ parent_sku }) => parent_sku !== null);
  if (variants.length === 0) return () => NONE;
  const inheritable = await inheritableIds(db, siteId);
  if (inheritable.length === 0) return () => NONE;
  const parents = await Item.query(db)
    .where({ site_id: siteId })
    .whereIn('sku', [...new Set(variants.flatMap(({ parent_sku }) => parent_sku ?? []))])
    .select('sku', 'attributes');
  const valuesOf = new Map(parents.map(({ sku, attributes }) => [sku, attributes]));
  const assigned = await assignedIds(db, siteId, variants);
  return ({ parent_sku, node_id, attributes }) => {
    const values = valuesOf.get(parent_sku ?? '') ?? NONE;
    const own = assigned.get(node_id ?? -1);
    const ids = inheritable.filter((id) => id in values && !(id in attributes) && own?.has(id));
    return Object.fromEntries(ids.map((id) => [id, values[id]]));
  };
}

async function inheritableIds(db: Db, siteId: number): Promise<string[]> {
  const attributes = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereRaw(`definition -> 'validation' -> 'inheritable' = 'true'`);
  const marker = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'isVariant' });
  return attributes
    .filter((row) => isInherited(definitionFromColumns(row), row.id === marker?.attribute_id))
    .map(({ id }) => id);
}

/** Node id → the attributes that its items have. */
async function assignedIds(db: Db, siteId: number, items: readonly Item[]): Promise<Map<number, Set<string>>> {
  const nodeIds = [...new Set(items.flatMap(({ node_id }) => node_id ?? []))];
  const categories = await Category.query(db).where({ site_id: siteId }).whereIn('node_id', nodeIds);
  const details = await loadCategoryDetails(db, siteId, categories);
  return new Map(
    details.map(({ category, attributes }) => [category.node_id, new Set(attributes.map(({ id }) => id))]),
  );
}
