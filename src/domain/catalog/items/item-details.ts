/** What is shown of items beyond their rows: the names behind their attribute ids and node ids. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import type { Item } from '../../../../db/models/item.js';
import { loadLineages } from '../categories/category-details.js';
import { formatPath } from '../category-path.js';

export interface ItemDetail {
  readonly item: Item;
  /** The path of its category, as it is given on import; null: it has none. */
  readonly nodePath: string | null;
  /** Values by attribute name, in the order of the attributes' positions. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The values of the attributes that are mapped to `title` and `image`, where the item has them. */
  readonly shown: { readonly title?: unknown; readonly image?: unknown };
}

/** Details of items of one site, in the order given. A constant number of queries, however many items. */
export async function loadItemDetails(db: Db, siteId: number, items: readonly Item[]): Promise<ItemDetail[]> {
  if (items.length === 0) return [];
  const attributeIds = new Set(items.flatMap((item) => Object.keys(item.attributes)));
  const attributes = await Attribute.query(db)
    .where({ site_id: siteId })
    .whereIn('id', [...attributeIds])
    .orderBy(['position', 'id'])
    .select('id', 'name');
  const paths = await loadNodePaths(db, siteId, items);
  const mappings = await AttributeMapping.query(db).where({ site_id: siteId }).whereIn('mapping', ['title', 'image']);
  return items.map((item) => ({
    item,
    nodePath: item.node_id === null ? null : (paths.get(item.node_id) ?? null),
    values: Object.fromEntries(
      attributes.filter(({ id }) => id in item.attributes).map(({ id, name }) => [name, item.attributes[id]]),
    ),
    shown: Object.fromEntries(
      mappings
        .filter(({ attribute_id }) => attribute_id in item.attributes)
        .map(({ mapping, attribute_id }) => [mapping, item.attributes[attribute_id]]),
    ),
  }));
}

async function loadNodePaths(db: Db, siteId: number, items: readonly Item[]): Promise<Map<number, string>> {
  const nodeIds = [...new Set(items.flatMap(({ node_id }) => (node_id === null ? [] : [node_id])))];
  const categories = await Category.query(db).where({ site_id: siteId }).whereIn('node_id', nodeIds);
  const lineages = await loadLineages(db, siteId, categories);
  const pathOf = (lineage: readonly Category[]) => formatPath(lineage.map(({ name }) => name));
  return new Map(categories.map(({ node_id }, index) => [node_id, pathOf(lineages[index] ?? [])]));
}
