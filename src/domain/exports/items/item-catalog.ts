/** The definitions that an export of items needs, as they are in the export's snapshot. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import { type Sql, sql } from '../../../../db/sql.js';
import { definitionFromColumns } from '../../catalog/attribute-record.js';
import { alternateCategoryEntry } from '../../catalog/categories/alternate-categories-cell.js';
import { formatAlternatePath } from '../../catalog/categories/alternate-path.js';
import { formatPath } from '../../catalog/categories/category-path.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { ExportRefused } from '../write/export-refused.js';

export class ItemCatalog {
  readonly #byId: ReadonlyMap<string, AttributeDefinition>;
  /** Node id → path, as an import reads it. */
  readonly #paths: Readonly<Record<string, string>>;
  /** Id of an alternate category → its path. */
  readonly #alternates: Readonly<Record<string, string>>;

  private constructor(
    /** In the order of their positions. */
    readonly attributes: readonly AttributeDefinition[],
    /** The attribute mapped to the SKU, which the SKU's column already contains; null when there is none. */
    readonly skuAttributeId: string | null,
    paths: Readonly<Record<string, string>>,
    alternates: Readonly<Record<string, string>>,
    /** Whether any item of the site is in an alternate category. */
    readonly hasMemberships: boolean,
  ) {
    this.#paths = paths;
    this.#alternates = alternates;
    this.#byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  }

  static async load(db: Db, siteId: number): Promise<ItemCatalog> {
    const attributes = await Attribute.query(db).where({ site_id: siteId }).orderBy(['position', 'id']);
    const key = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'sku' });
    const categories = await Category.query(db)
      .where({ site_id: siteId })
      .orderBy('depth')
      .select('id', 'parent_id', 'node_id', 'name', 'tree');
    const membership = await db('category_item').where({ site_id: siteId }).first('sku');
    return new ItemCatalog(
      attributes.map(definitionFromColumns),
      key?.attribute_id ?? null,
      pathsOf(categories, 'PRIMARY', ({ node_id: nodeId }) => String(nodeId)),
      pathsOf(categories, 'ALTERNATE', ({ id }) => id),
      membership !== undefined,
    );
  }

  /** Whether the site has an attribute of this name. */
  hasAttributeNamed(name: string): boolean {
    return this.attributes.some((attribute) => attributeKey(attribute.name) === attributeKey(name));
  }

  /** @throws ExportRefused when it was deleted after the export was requested */
  attribute(id: string): AttributeDefinition {
    const attribute = this.#byId.get(id);
    if (attribute !== undefined) return attribute;
    throw new ExportRefused(
      'DEFINITIONS_CHANGED',
      'an attribute that the export names was deleted meanwhile; request the export again without it',
    );
  }

  /** The path of an item's category (`node_id`) as text; NULL when it has none. */
  get categoryPath(): Sql {
    return sql`(${this.#pathMap} ->> node_id::text)`;
  }

  /** The same path as JSON. */
  get categoryPathJson(): Sql {
    return sql`coalesce(${this.#pathMap} -> node_id::text, 'null')`;
  }

  /** The alternate categories of an item (`v.site_id`, `v.sku`) as a cell, ordered by path; NULL when it has none. */
  get alternateCategories(): Sql {
    const entries = Object.entries(this.#alternates).map(([id, path]) => [id, alternateCategoryEntry(path)]);
    return this.#aggregate(Object.fromEntries(entries), sql`string_agg(path, ';' ORDER BY path COLLATE "C")`);
  }

  /** The same paths as a JSON list; NULL when it has none. */
  get alternateCategoriesJson(): Sql {
    return this.#aggregate(this.#alternates, sql`json_agg(path ORDER BY path COLLATE "C")::text`);
  }

  #aggregate(paths: Readonly<Record<string, string>>, aggregate: Sql): Sql {
    return sql`(
      SELECT ${aggregate} FROM (
        SELECT ${JSON.stringify(paths)}::jsonb ->> ci.category_id AS path
        FROM category_item AS ci WHERE ci.site_id = v.site_id AND ci.sku = v.sku) AS held)`;
  }

  /** A constant in the statement: with a join, the rows would no longer come from the index in the order of SKUs. */
  get #pathMap(): Sql {
    return sql`${JSON.stringify(this.#paths)}::jsonb`;
  }
}

type Node = Pick<Category, 'id' | 'parent_id' | 'node_id' | 'name' | 'tree'>;

/** @param categories parents first @param keyOf the key by which the path of a category is found */
function pathsOf(
  categories: readonly Node[],
  wanted: CategoryTree,
  keyOf: (category: Node) => string,
): Record<string, string> {
  const names = new Map<string, readonly string[]>();
  const paths: Record<string, string> = {};
  for (const category of categories) {
    const { id, parent_id: parentId, name, tree } = category;
    if (tree !== wanted) continue;
    const lineage = [...(names.get(parentId ?? '') ?? []), name];
    names.set(id, lineage);
    paths[keyOf(category)] = wanted === 'ALTERNATE' ? formatAlternatePath(lineage) : formatPath(lineage);
  }
  return paths;
}
