/** Loads what is shown of items besides their rows: the names for their attribute ids and node ids. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { BundleItem } from '../../../../db/models/bundle-item.js';
import { Category } from '../../../../db/models/category.js';
import type { Item } from '../../../../db/models/item.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import { formatPath } from '../categories/category-path.js';
import { loadLineages } from '../categories/lineages.js';
import type { AttributeTypeName } from '../model/attribute-definition.js';
import type { Component } from './bundle-items-cell.js';
import { loadInheritedValues } from './inherited-values.js';

export interface ItemDetail {
  readonly item: Item;
  /** The path of its category, as imports accept it; null without a category. */
  readonly nodePath: string | null;
  /** Values by attribute name, in the order of the attributes' positions. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of the values that it inherits from its parent; null when it is not a variant. */
  readonly inherited: readonly string[] | null;
  /** The items of a bundle, in order; null when it is not a bundle. */
  readonly components: readonly Component[] | null;
  /** The values of the attributes that are mapped to `title` and `image`, where the item has them. */
  readonly shown: { readonly title?: unknown; readonly image?: unknown };
}

/** The details of items of one site, in the given order. The number of queries is constant. */
export async function loadItemDetails(db: Db, siteId: number, items: readonly Item[]): Promise<ItemDetail[]> {
  if (items.length === 0) return [];
  const inheritedBy = await loadInheritedValues(db, siteId, items);
  const inherited = items.map(inheritedBy);
  const values = items.map((item, index) => ({ ...inherited[index], ...item.attributes }));
  const componentsOf = await loadComponents(db, siteId, items);
  const attributeIds = new Set(values.flatMap(Object.keys));
  const attributes = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereIn('id', [...attributeIds])
    .orderBy(['position', 'id'])
    .select('id', 'name', 'type');
  const paths = await loadNodePaths(db, siteId, items);
  const mappings = await AttributeMapping.query(db).where({ site_id: siteId }).whereIn('mapping', ['title', 'image']);
  return items.map((item, index) => {
    const own = values[index] ?? {};
    const shown = attributes.filter(({ id }) => id in own);
    const ofParent = inherited[index] ?? {};
    return {
      item,
      nodePath: item.node_id === null ? null : (paths.get(item.node_id) ?? null),
      values: Object.fromEntries(shown.map(({ id, name, type }) => [name, shownValue(type, own[id])])),
      inherited: item.parent_sku === null ? null : shown.flatMap(({ id, name }) => (id in ofParent ? [name] : [])),
      components: item.type === 'B' ? (componentsOf.get(item.sku) ?? []) : null,
      shown: Object.fromEntries(
        mappings
          .filter(({ attribute_id }) => attribute_id in own)
          .map(({ mapping, attribute_id }) => [mapping, own[attribute_id]]),
      ),
    };
  });
}

/** A value as it is shown: whatever form it is stored in, all values of a type have one. */
function shownValue(type: string, stored: unknown): unknown {
  return ATTRIBUTE_TYPES[type as AttributeTypeName].jsonForm === 'quoted' ? String(stored) : stored;
}

async function loadComponents(db: Db, siteId: number, items: readonly Item[]): Promise<Map<string, Component[]>> {
  const bundles = items.flatMap(({ type, sku }) => (type === 'B' ? [sku] : []));
  const components = new Map<string, Component[]>(bundles.map((sku) => [sku, []]));
  if (bundles.length === 0) return components;
  const rows = await BundleItem.query(db)
    .where({ site_id: siteId })
    .whereIn('bundle_sku', bundles)
    .orderBy(['bundle_sku', 'position']);
  for (const { bundle_sku, sku, quantity } of rows) components.get(bundle_sku)?.push({ sku, quantity });
  return components;
}

async function loadNodePaths(db: Db, siteId: number, items: readonly Item[]): Promise<Map<number, string>> {
  const nodeIds = [...new Set(items.flatMap(({ node_id }) => (node_id === null ? [] : [node_id])))];
  const categories = await Category.query(db).where({ site_id: siteId }).whereIn('node_id', nodeIds);
  const lineages = await loadLineages(db, siteId, categories);
  const pathOf = (lineage: readonly Category[]) => formatPath(lineage.map(({ name }) => name));
  return new Map(categories.map(({ node_id }, index) => [node_id, pathOf(lineages[index] ?? [])]));
}
