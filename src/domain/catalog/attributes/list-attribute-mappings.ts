/** Lists the roles (mappings) of a site's attributes. */
import type { Db } from '../../../../db/connection.js';
import { AttributeMapping as MappingRow } from '../../../../db/models/attribute-mapping.js';
import { ATTRIBUTE_MAPPINGS, type AttributeMapping } from '../model/attribute-definition.js';

export interface MappedAttribute {
  readonly attributeId: string;
  /** The attribute's name. */
  readonly attribute: string;
  readonly mapping: AttributeMapping;
  readonly required: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** All mappings of the site, `sku` first. There are five at most. */
export async function listAttributeMappings(db: Db, siteId: number): Promise<MappedAttribute[]> {
  const rows = await MappingRow.query(db).where({ site_id: siteId }).withGraphFetched('attribute');
  const order: readonly string[] = ATTRIBUTE_MAPPINGS;
  return rows
    .sort((one, other) => order.indexOf(one.mapping) - order.indexOf(other.mapping))
    .map((row) => ({
      attributeId: row.attribute_id,
      attribute: row.attribute?.name ?? '',
      mapping: row.mapping as AttributeMapping,
      required: row.required,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }));
}
