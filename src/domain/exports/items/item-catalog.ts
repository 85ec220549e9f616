/** The definitions that an export of items needs, as they are in the export's snapshot. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import { type Sql, sql } from '../../../../db/sql.js';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { formatPath } from '../../catalog/categories/category-path.js';
import { definitionFromColumns } from '../../catalog/definition-snapshot.js';
import { ExportRefused } from '../write/export-refused.js';

export class ItemCatalog {
  readonly #byId: ReadonlyMap<string, AttributeDefinition>;
  /** Node id → path, as an import reads it. */
  readonly #paths: Readonly<Record<string, string>>;

  private constructor(
    /** In the order of their positions. */
    readonly attributes: readonly AttributeDefinition[],
    /** The attribute mapped to the SKU, which the SKU's column already contains; null when there is none. */
    readonly skuAttributeId: string | null,
    paths: Readonly<Record<string, string>>,
  ) {
    this.#paths = paths;
    this.#byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  }

  static async load(db: Db, siteId: number): Promise<ItemCatalog> {
    const attributes = await Attribute.query(db).where({ site_id: siteId }).orderBy(['position', 'id']);
    const key = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'sku' });
    const categories = await Category.query(db)
      .where({ site_id: siteId, tree: 'PRIMARY' })
      .orderBy('depth')
      .select('id', 'parent_id', 'node_id', 'name');
    return new ItemCatalog(attributes.map(definitionFromColumns), key?.attribute_id ?? null, pathsOf(categories));
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

  /** A constant in the statement: with a join, the rows would no longer come from the index in the order of SKUs. */
  get #pathMap(): Sql {
    return sql`${JSON.stringify(this.#paths)}::jsonb`;
  }
}

type Node = Pick<Category, 'id' | 'parent_id' | 'node_id' | 'name'>;

/** @param categories parents first */
function pathsOf(categories: readonly Node[]): Record<string, string> {
  const names = new Map<string, readonly string[]>();
  const paths: Record<string, string> = {};
  for (const { id, parent_id: parentId, node_id: nodeId, name } of categories) {
    const lineage = [...(names.get(parentId ?? '') ?? []), name];
    names.set(id, lineage);
    paths[nodeId] = formatPath(lineage);
  }
  return paths;
}
